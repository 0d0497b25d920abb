"""adp/: trajectories of the Agent Data Protocol: a web shop, real code, pictures, and the legacy spelling."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .shop import Shop, axtree, node
from .workshop import Workshop, stable_id


def web_trajectory() -> dict[str, Any]:
    """An agent replaces a lost sock. The pages are real HTML, parsed into the trees that the agent reads."""
    shop = Shop()
    content: list[dict[str, Any]] = [
        {
            "class_": "text_observation",
            "content": "I lost a LEFT sock in the laundry: foxes on a mossy green, size 42-44. Find one at solemates.example for "
            "less than 6 euros, postage included, and stop before paying. My voucher is SOLO10, if it still works.",
            "name": "user",
            "source": "user",
        }
    ]

    def look(call: str) -> str:
        html = shop.html()
        tree = axtree(html)
        content.append(
            {
                "class_": "web_observation",
                "html": html,
                "axtree": tree,
                "url": shop.url,
                "image_observation": None,
                "viewport_size": [1280, 720],
                "tool_call_id": call,
            }
        )
        return tree

    def act(function: str, why: str, reasoning: str | None = None, **kwargs: Any) -> str:
        call = f"call_{len(content):02d}"
        content.append(
            {
                "class_": "api_action",
                "function": function,
                "kwargs": kwargs,
                "description": why,
                "reasoning_content": reasoning,
                "tool_call_id": call,
            }
        )
        return look(call)

    tree = act("goto", "Start at the shop's front page.", url=shop.url)
    shop.query = "fox"
    box = node(tree, "searchbox", "Search socks")
    tree = act("fill", "Look for foxes.", element_id=box, value="fox")
    shop.page = "/search"
    tree = act("click", "Search.", "Four results would be my guess.", element_id=node(tree, "button", "Search"))
    shop.side = "left"
    tree = act(
        "click",
        "Left socks only.",
        "A right sock is exactly what this person already has. The filter is not a detail.",
        element_id=node(tree, "checkbox", "left"),
    )
    shop.size = "42-44"
    tree = act("click", "And the right size. That is, the left one.", element_id=node(tree, "checkbox", "42-44"))
    shop.page = "/sock/fox-n"
    tree = act(
        "click",
        "The first link that says fox… no, I clicked the night edition.",
        "6.90 without postage. Too much, and the moss is blue. Back.",
        element_id=node(tree, "link", "Fox on moss, night"),
    )
    shop.page = "/search"
    tree = act("go_back", "Wrong fox.")
    shop.page = "/sock/fox-l"
    tree = act(
        "click", "The one on moss: 4.50, and the last one.", element_id=node(tree, "link", "Fox on moss (left, 42-44)")
    )
    shop.basket.append("fox-l")
    shop.notice = "In your basket. We keep it for 15 minutes."
    tree = act("click", "Quickly, before someone else's dryer strikes.", element_id=node(tree, "button", "Put into"))
    shop.page, shop.notice = "/basket", ""
    tree = act("click", "See what the postage does to it.", element_id=node(tree, "link", "Basket"))
    shop.voucher = "SOLO10"
    tree = act("fill", "Try the voucher.", element_id=node(tree, "textbox", "Voucher"), value="SOLO10")
    shop.notice = "SOLO10 ended on 31 October. We miss it too."
    tree = act("click", "Apply it.", element_id=node(tree, "button", "Apply"))
    shop.page, shop.notice = "/checkout", ""
    act(
        "click",
        "The voucher is dead, but 4.50 + 1.40 = 5.90, which is less than 6. On to the checkout, and no further.",
        "Stop before paying. The pay button is disabled without an address anyway, and I will not invent one.",
        element_id=node(tree, "link", "To checkout"),
    )
    content.append(
        {
            "class_": "message_action",
            "content": "Your sock is in the basket: **Fox on moss, left, 42-44**, 4.50 € and 1.40 € postage, so **5.90 €** in all. "
            "SOLO10 ended on 31 October. It was the last one, and it is kept for 15 minutes. I stopped at the checkout; paying is yours.",
            "description": "Report, and stop.",
            "reward": 1.0,
        }
    )
    return {
        "id": "solemates/replace_left_sock",
        "schema_version": "1.3.1",
        "content": content,
        "details": {"site": "solemates.example", "task": "replace_left_sock", "success": "true", "steps": "13"},
        "available_apis": ["goto", "fill", "click", "go_back"],
    }


class _CodeTrajectory:
    """A trajectory whose code actions run for real; each observation is linked to its action."""

    def __init__(self, name: str, shop: Workshop, task: str) -> None:
        self.name = name
        self.shop = shop
        self.content: list[dict[str, Any]] = [
            {"class_": "text_observation", "content": task, "name": None, "source": "user"}
        ]

    def run(
        self, language: str, code: str, why: str, reasoning: str | None = None, reward: float | None = None
    ) -> None:
        call = stable_id("adp", self.name, len(self.content))[:8]
        if language == "python":
            self.shop.write("../cell.py", code)
            result = self.shop.run("python ../cell.py")
        else:
            result = self.shop.run(code)
        action = {
            "class_": "code_action",
            "language": language,
            "content": code,
            "description": why,
            "tool_call_id": call,
        }
        if reasoning:
            action["reasoning_content"] = reasoning
        text = result.output + (f"\n[exit code {result.exit_code}]" if result.exit_code else "")
        observation: dict[str, Any] = {
            "class_": "text_observation",
            "content": text,
            "name": language,
            "source": "environment",
            "tool_call_id": call,
        }
        if reward is not None:
            observation["reward"] = reward
        self.content += [action, observation]

    def finish(self, text: str, reward: float) -> dict[str, Any]:
        self.content.append({"class_": "message_action", "content": text, "description": None, "reward": reward})
        return {
            "id": self.name,
            "schema_version": "1.3.1",
            "content": self.content,
            "details": {"reward": reward, "python": f"{sys.version_info.major}.{sys.version_info.minor}"},
            "available_code_languages": ["bash", "python"],
            "available_custom_tools": [],
        }


def coffee(root: Path) -> dict[str, Any]:
    """Who drinks the coffee? A first attempt that trips over the data, and a second."""
    people = ["ada", "bo", "chidi", "dee"]
    rows = [
        f"2025-10-{day:02d},{6 + (day * 7 + cup * 5) % 13:02d}:{(day * 17 + cup * 11) % 60:02d},"
        f"{people[(day * day + cup) % 4] if (day + cup) % 5 else 'ada'},{'double' if (day + cup) % 3 == 0 else 'single'}"
        for day in range(1, 32)
        for cup in range(1 + day % 4)
    ]
    rows.insert(17, "2025-10-08,??:??,descaling,")
    shop = Workshop(root / "coffee", "kitchen", {"coffee.csv": "date,time,who,size\n" + "\n".join(rows) + "\n"})
    talk = _CodeTrajectory(
        "kitchen/who_drinks_the_coffee",
        shop,
        "coffee.csv is the log of our coffee machine in October. Who drinks the most (a double counts twice), and at what "
        "hour should nobody stand in the way?",
    )
    talk.run(
        "bash", "head -4 coffee.csv; wc -l coffee.csv; cut -d, -f4 coffee.csv | sort | uniq -c", "Look before counting."
    )
    talk.run(
        "python",
        "import csv\nfrom collections import Counter\n\ncups, hours = Counter(), Counter()\n"
        "for row in csv.DictReader(open('coffee.csv')):\n    n = 2 if row['size'] == 'double' else 1\n"
        "    cups[row['who']] += n\n    hours[int(row['time'][:2])] += n\nprint(cups.most_common())\nprint(hours.most_common(3))\n",
        "Count by person and by hour.",
        reward=0.0,
    )
    talk.run("bash", "grep -nvE '^[0-9-]+,[0-9]{2}:[0-9]{2},' coffee.csv", "Which line has no hour?")
    talk.run(
        "python",
        "import csv\nfrom collections import Counter\n\ncups, hours = Counter(), Counter()\n"
        "for row in csv.DictReader(open('coffee.csv')):\n    if not row['size']:\n        continue  # the machine talks to itself\n"
        "    n = 2 if row['size'] == 'double' else 1\n    cups[row['who']] += n\n    hours[int(row['time'][:2])] += n\n"
        "for who, n in cups.most_common():\n    print(f'{who:6}{n:4} ' + '#' * n)\n"
        "print('busiest:', ', '.join(f'{h} h ({n})' for h, n in hours.most_common(3)))\n",
        "Leave the descaling out.",
        "“descaling” had a rather strong lead in the making. It has no size, so that is what tells a coffee from a chore.",
        reward=1.0,
    )
    out = talk.content[-1]["content"].splitlines()
    first, *others = [line.split()[:2] for line in out[:-1]]
    seconds = " and ".join(who.capitalize() for who, cups in others if cups == others[0][1])
    busiest = out[-1].removeprefix("busiest: ").split(" (")[0]
    return talk.finish(
        f"**{first[0].capitalize()}**, with {first[1]}; then {seconds}, {others[0][1]} each. Keep clear at "
        f"{busiest}. One line of the log is the machine descaling itself, which I did not count as a person.",
        1.0,
    )


def bisect(root: Path) -> dict[str, Any]:
    """git bisect finds the commit that broke the greeting."""
    shop = Workshop(root / "bisect", "greeter", {"greet.sh": 'echo "Good morning, $1!"\n'})
    shop.run("git init -q && git add -A && git commit -qm 'Greet people'")
    edits = [
        ("Document the greeting", "echo '# greeter' > README.md"),
        ("Add a licence", "echo 'Do as you like.' > LICENSE"),
        ("Be nice in the evening", "echo 'echo \"Good evening, $1!\"' > evening.sh"),
        ("Quote less, type faster", "sed -i 's/\"Good morning, $1!\"/Good morning, $1!/' greet.sh"),
        ("Add a changelog", "echo '0.2: evening' > CHANGES"),
        ("Fix a typo in the licence", "sed -i 's/like/please/' LICENSE"),
        ("Tidy up", "mkdir docs && git mv README.md docs/"),
    ]
    for message, command in edits:
        shop.run(f"{command} && git add -A && git commit -qm '{message}'")
    talk = _CodeTrajectory(
        "greeter/bisect",
        shop,
        "Since some commit our greeter eats spaces: `sh greet.sh 'Ada  Okafor'` used to keep both. Which commit was it?",
    )
    talk.run("bash", "git log --oneline; sh greet.sh 'Ada  Okafor'", "See it broken, and how far back it can go.")
    talk.run(
        "bash",
        "cat > ../check.sh <<'EOF'\ntest \"$(sh greet.sh 'Ada  Okafor')\" = 'Good morning, Ada  Okafor!'\nEOF\n"
        "git bisect start HEAD $(git rev-list --max-parents=0 HEAD) && git bisect run sh ../check.sh",
        "Let git find it: a script that says good or bad, and a halving.",
        "Eight commits could be read by eye. But a script is a proof, and it costs three runs.",
    )
    talk.run(
        "bash",
        "git bisect reset 2>/dev/null; git show --format='%h %an: %s' $(git log --format=%h --grep 'Quote less')",
        "Read the culprit.",
        reward=1.0,
    )
    return talk.finish(
        "“Quote less, type faster” it was. Without the quotes the shell splits the name into words and `echo` joins them again "
        "with one space each. Two characters saved, one Okafor annoyed. `git revert` of that commit is the whole fix.",
        1.0,
    )


def access_log(root: Path) -> dict[str, Any]:
    """Shell archaeology in a web server's log."""
    paths = ["/", "/socks", "/wp-login.php", "/socks/fox", "/favicon.ico", "/wp-login.php"]
    lines = []
    for i in range(160):
        path = paths[(i * i + i // 7) % len(paths)]
        host = "203.0.113.9" if path == "/wp-login.php" and i % 9 else f"198.51.100.{1 + i % 23}"
        status = 404 if path == "/wp-login.php" else 200 if i % 31 else 500
        lines.append(
            f'{host} - - [03/Nov/2025:{i // 7:02d}:{i * 13 % 60:02d}:00 +0000] "GET {path} HTTP/1.1" {status} {100 + i * 37 % 900}'
        )
    shop = Workshop(root / "access", "logs", {"access.log": "\n".join(lines) + "\n"})
    talk = _CodeTrajectory(
        "logs/who_knocks", shop, "Somebody knocks at our server all night. Who, at which door, and did anything open?"
    )
    talk.run("bash", "sed -n '1,3p' access.log; wc -l < access.log", "What does a line look like?")
    talk.run("bash", "cut -d' ' -f1 access.log | sort | uniq -c | sort -rn | head -5", "Who comes most?")
    talk.run(
        "bash",
        "grep '^203.0.113.9 ' access.log | awk '{print $7, $9}' | sort | uniq -c; echo ---; awk '$9 >= 500' access.log | cut -c1-78",
        "At which doors, with what answers; and what broke, if anything?",
        "404 means that the door is painted on the wall. The 500s are worth a look in any case.",
    )
    talk.run("bash", "awk '$9 >= 500 {print $1}' access.log | grep -c 203.0.113.9", "Are the errors his?", reward=0.5)
    return talk.finish(
        "One host, `203.0.113.9`, tries `/wp-login.php`, which we don't have: every answer was 404, so nothing opened. The handful "
        "of 500s comes from ordinary visitors and is *our* problem, not his. He can knock until dawn.",
        0.5,
    )


def screens() -> list[dict[str, Any]]:
    """Image observations with boxes around what can be clicked."""

    def box(text: str, kind: str, x: float, y: float, width: float, height: float) -> dict[str, Any]:
        return {"text": text, "element_type": kind, "bounding_box": {"x": x, "y": y, "width": width, "height": height}}

    return [
        {
            "id": "kiosk/one_ticket_please",
            "content": [
                {
                    "class_": "image_observation",
                    "content": "screens/kiosk_start.png",
                    "annotations": [
                        box("Single ticket", "button", 80.0, 210.0, 480.0, 96.0),
                        box("Day ticket", "button", 80.0, 330.0, 480.0, 96.0),
                        box("Ticket for a dog", "button", 80.0, 450.0, 480.0, 96.0),
                    ],
                    "source": "environment",
                },
                {"class_": "text_observation", "content": "One day ticket, and one for the dog.", "source": "user"},
                {
                    "class_": "api_action",
                    "function": "click",
                    "kwargs": {"x": 320.0, "y": 378.0},
                    "description": "The day ticket is in the middle; aim for its centre.",
                },
                {
                    "class_": "image_observation",
                    "content": "screens/kiosk_added.png",
                    "annotations": [
                        box("1 × day ticket", "text", 700.0, 120.0, 300.0, 40.0),
                        box("Ticket for a dog", "button", 80.0, 450.0, 480.0, 96.0),
                    ],
                    "source": "environment",
                },
                {
                    "class_": "api_action",
                    "function": "click",
                    "kwargs": {"x": 320.0, "y": 498.0},
                    "description": "And the dog.",
                },
                {
                    "class_": "web_observation",
                    "html": None,
                    "axtree": None,
                    "url": "kiosk://basket",
                    "image_observation": {
                        "class_": "image_observation",
                        "content": "screens/kiosk_basket.png",
                        "annotations": None,
                        "source": "environment",
                    },
                    "viewport_size": [1080, 1920],
                },
                {
                    "class_": "message_action",
                    "content": "One day ticket, one dog. The dog's is free, and it gets a receipt.",
                    "description": None,
                },
            ],
            "details": {"device": "kiosk"},
        }
    ]


def legacy() -> list[dict[str, Any]]:
    """The spelling of the protocol's own early documentation."""
    return [
        {
            "id": "legacy/teapot",
            "content": [
                {"class_": "TextObservation", "text": "Why does the server answer 418?", "source": "user"},
                {
                    "class_": "MessageAction",
                    "message": "Because it is a teapot. RFC 2324 allows it to say so.",
                    "thoughts": "418 was an April joke of 1998 that nobody could bring themselves to remove.",
                },
                {"class_": "TextObservation", "text": "It's a payment server.", "source": "user"},
                {
                    "class_": "MessageAction",
                    "message": "Then somebody has left a joke in production. Look for the default branch of the router.",
                    "thoughts": "A fallback that was never meant to be reached, most likely.",
                },
                {"class_": "TextObservation", "text": "router.py:88: return 418  # can't happen", "source": "agent"},
            ],
            "details": {},
        }
    ]
