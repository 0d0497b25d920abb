"""taskweaver/: sessions of a planner and a code interpreter, whose code is run for real."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from .workshop import Workshop, stable_id

Attachments = list[tuple[str, Any]]


def _post(
    sender: str, recipient: str, message: str, attachments: Sequence[tuple[str, Any]] = (), *, ids: str = ""
) -> dict[str, Any]:
    """A post; with `ids`, it and its attachments have ids made from that name."""
    rows = []
    for number, (kind, content) in enumerate(attachments):
        row: dict[str, Any] = {"type": kind, "content": content}
        if ids:
            row = {"id": f"atta-20251103-2100{number:02d}-{stable_id(ids, number)[:8]}", **row, "extra": None}
        rows.append(row)
    post: dict[str, Any] = {
        "message": message,
        "send_from": sender,
        "send_to": recipient,
        "attachment_list": rows or None,
    }
    if ids:
        post = {"id": f"post-20251103-210000-{stable_id(ids)[:8]}", **post, "attachment_list": rows}
    return post


def _execute(shop: Workshop, code: str, number: int) -> Attachments:
    """Run the code of a cell, and say how it went as TaskWeaver does."""
    shop.write(f"../cell_{number}.py", code)
    result = shop.run(f"python ../cell_{number}.py")
    ok = result.exit_code == 0
    outcome = "finished successfully" if ok else "failed"
    heading = "The following messages were logged" if not ok else "The result of above Python code after execution is"
    return [
        ("verification", "NONE"),
        ("code_error", "No code verification is performed."),
        ("execution_status", "SUCCESS" if ok else "FAILURE"),
        (
            "execution_result",
            f"The execution of the generated python code above has {outcome}\n\n{heading}:\n{result.output}",
        ),
        ("artifact_paths", []),
    ]


def _weights() -> str:
    rows = ["bee;hive;grams"]
    for n in range(1, 41):
        grams = f"{(96 + n * 7 % 19) / 1000:.3f}"
        rows.append(f"{n};{'north' if n % 3 else 'south'};{grams.replace('.', ',') if n % 11 == 0 else grams}")
    return "\n".join(rows) + "\n"


FIRST = """import csv
from collections import defaultdict

weights = defaultdict(list)
with open("bees.csv") as file:
    for row in csv.DictReader(file, delimiter=";"):
        weights[row["hive"]].append(float(row["grams"]))

for hive, grams in sorted(weights.items()):
    print(f"{hive}: {len(grams)} bees, {sum(grams) / len(grams) * 1000:.1f} mg on average")
"""

SECOND = FIRST.replace('float(row["grams"])', 'float(row["grams"].replace(",", "."))')

THIRD = (
    SECOND
    + """
heaviest = max(((g, hive) for hive, grams in weights.items() for g in grams))
print(f"heaviest: {heaviest[0] * 1000:.0f} mg, from the {heaviest[1]}")
"""
)


def session(root: Path) -> dict[str, Any]:
    """A session of two rounds, in the first of which the code fails and is revised."""
    shop = Workshop(root / "bees", "apiary", {"bees.csv": _weights()})
    failed, passed, again = (_execute(shop, code, n) for n, code in enumerate((FIRST, SECOND, THIRD), start=1))
    averages = [line for line in str(passed[3][1]).splitlines() if " bees, " in line]
    heaviest = next(line for line in str(again[3][1]).splitlines() if line.startswith("heaviest"))
    revise = (
        "The execution of the previous generated code has failed. If you think you can fix the problem by rewriting the code, "
        "please generate code and run it again.\nOtherwise, please explain the problem to me."
    )
    plan = "1. instruct CodeInterpreter to compute the average weight per hive\n2. report the result to the user"
    init = (
        "1. load bees.csv\n2. compute the average weight per hive <sequentially depends on 1>\n"
        "3. report the result to the user <interactively depends on 2>"
    )
    ask = "Please load bees.csv and compute the average weight of a bee for each hive"
    report = "In milligrams: " + "; ".join(averages)
    rounds = [
        {
            "id": f"round-20251103-210000-{stable_id('bees', 1)[:8]}",
            "user_query": "Which of my hives has the heavier bees? It's all in bees.csv. I weighed forty, please be impressed.",
            "state": "finished",
            "post_list": [
                _post(
                    "User",
                    "Planner",
                    "Which of my hives has the heavier bees? It's all in bees.csv. I weighed forty, please be impressed.",
                    ids="b1",
                ),
                _post(
                    "Planner",
                    "CodeInterpreter",
                    ask,
                    [
                        ("init_plan", init),
                        ("plan", plan),
                        ("current_plan_step", plan.splitlines()[0]),
                        (
                            "plan_reasoning",
                            "One file, one average for each hive. The user can be congratulated at the end.",
                        ),
                        ("stop", "InProcess"),
                    ],
                    ids="b2",
                ),
                _post(
                    "CodeInterpreter",
                    "CodeInterpreter",
                    "",
                    [
                        ("thought", "I will read bees.csv with the csv module and average the weights for each hive."),
                        ("reply_type", "python"),
                        ("reply_content", FIRST),
                        *failed,
                        ("revise_message", revise),
                    ],
                    ids="b3",
                ),
                _post(
                    "CodeInterpreter",
                    "Planner",
                    report,
                    [
                        (
                            "thought",
                            "Some weights are written with a decimal comma, as one does with cold fingers. They are the same "
                            "numbers; I will read both, and say so.",
                        ),
                        ("reply_type", "python"),
                        ("reply_content", SECOND),
                        *passed,
                    ],
                    ids="b4",
                ),
                _post(
                    "Planner",
                    "User",
                    f"I am impressed: forty bees. {report}. Three of your weights had a decimal comma; I read them as points.",
                    [
                        ("init_plan", init),
                        ("plan", plan),
                        ("current_plan_step", "2. report the result to the user"),
                        ("plan_reasoning", "The second attempt ran through, and the numbers look like bees."),
                        ("stop", "Completed"),
                    ],
                    ids="b5",
                ),
            ],
        },
        {
            "id": f"round-20251103-210500-{stable_id('bees', 2)[:8]}",
            "user_query": "And the champion?",
            "state": "finished",
            "post_list": [
                _post("User", "Planner", "And the champion?", ids="b6"),
                _post(
                    "Planner",
                    "CodeInterpreter",
                    "Please find the heaviest bee and its hive",
                    [("plan_reasoning", "Same data, one maximum."), ("stop", "InProcess")],
                    ids="b7",
                ),
                _post(
                    "CodeInterpreter",
                    "Planner",
                    heaviest,
                    [
                        ("thought", "I will reuse the reading that works."),
                        ("reply_type", "python"),
                        ("reply_content", THIRD),
                        *again,
                    ],
                    ids="b8",
                ),
                _post(
                    "Planner",
                    "User",
                    f"{heaviest.capitalize()}. She did not leave a name.",
                    [("stop", "Completed")],
                    ids="b9",
                ),
            ],
        },
    ]
    return {
        "id": f"conv-20251103-210000-{stable_id('bees')[:8]}",
        "plugins": [],
        "roles": ["Planner", "CodeInterpreter"],
        "enabled": True,
        "rounds": rounds,
    }


def planner_example() -> dict[str, Any]:
    """An example for the planner, as people write them by hand: no ids, empty lists left null."""
    query = "how many ways are there to arrange seven sheep?"
    plan = "1. Instruct CodeInterpreter to compute the factorial of 7\n2. Report the result to the user"
    return {
        "enabled": True,
        "rounds": [
            {
                "user_query": query,
                "state": "finished",
                "post_list": [
                    _post("User", "Planner", query),
                    _post(
                        "Planner",
                        "CodeInterpreter",
                        "Please compute the factorial of 7",
                        [
                            ("plan_reasoning", "Seven sheep in a row are 7! ways, as long as they stand still."),
                            ("init_plan", "1. Compute 7!\n2. Report the result <interactively depends on 1>"),
                            ("plan", plan),
                            ("current_plan_step", plan.splitlines()[0]),
                            ("stop", "InProcess"),
                        ],
                    ),
                    _post("CodeInterpreter", "Planner", "The factorial of 7 is 5040"),
                    _post(
                        "Planner",
                        "User",
                        "There are 5040 ways, and the sheep will try them all.",
                        [("plan", plan), ("stop", "Completed")],
                    ),
                ],
            }
        ],
    }


def temporal_session() -> dict[str, Any]:
    """A session in JSON, with text that was shown to the model in its own round only, and old attachment types."""
    start, end = "{{DELIMITER_START_TEMPORAL}}", "{{DELIMITER_END_TEMPORAL}}"
    query = "What's on for tomorrow, and do I need an umbrella?"
    return {
        "id": f"conv-20251104-070000-{stable_id('umbrella')[:8]}",
        "plugins": ["calendar", "weather"],
        "roles": ["Planner", "CodeInterpreter", "Echo"],
        "enabled": True,
        "rounds": [
            {
                "id": f"round-20251104-070000-{stable_id('umbrella', 1)[:8]}",
                "user_query": query,
                "state": "finished",
                "post_list": [
                    _post(
                        "User",
                        "Planner",
                        query
                        + f"{start}\nIt is now 07:00 on Tuesday. The user is at home, and so is the umbrella.{end}",
                        ids="u1",
                    ),
                    _post(
                        "Planner",
                        "CodeInterpreter",
                        f"Call calendar() and weather() for Wednesday{start}\nYou have 2 attempts left in this round.{end}",
                        [("plan", "1. ask both plugins\n2. advise"), ("stop", "InProcess")],
                        ids="u2",
                    ),
                    _post(
                        "CodeInterpreter",
                        "Planner",
                        "Wednesday: 9:30 dentist, 13:00 lunch with Bo (outside). Rain from 12:40 to 14:10.",
                        [
                            ("thought", "Two calls, then put them side by side."),
                            ("python", 'print(calendar("wed"), weather("wed"))'),
                            ("execution_status", "SUCCESS"),
                            (
                                "execution_result",
                                "[('09:30', 'dentist'), ('13:00', 'lunch with Bo, terrace')] {'rain': ['12:40', '14:10']}",
                            ),
                            ("sample", "An attachment type that TaskWeaver has given up."),
                            ("artifact_paths", ["cwd/wednesday.ics"]),
                        ],
                        ids="u3",
                    ),
                    _post(
                        "Planner",
                        "User",
                        "Dentist at 9:30, dry. Lunch with Bo at 13:00, on a terrace, in the rain. Take the umbrella, or ring Bo.",
                        [("stop", "Completed")],
                        ids="u4",
                    ),
                ],
            },
            {
                "id": f"round-20251104-070200-{stable_id('umbrella', 2)[:8]}",
                "user_query": "Bo says rain is fine.",
                "state": "failed",
                "post_list": [
                    _post(
                        "User", "Planner", f"Bo says rain is fine.{start}\nIt is now 07:02 on Tuesday.{end}", ids="u5"
                    ),
                    _post(
                        "Planner",
                        "Planner",
                        "",
                        [
                            ("invalid_response", "Bo is a duck?"),
                            ("revise_message", "Your answer is not in the expected JSON format."),
                        ],
                        ids="u6",
                    ),
                ],
            },
        ],
    }


def write_yaml(path: Path, data: Any) -> None:
    """YAML in blocks, long texts as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100), encoding="utf-8")


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)
