"""chat/: plain chat logs in the shapes of OpenAI, Anthropic and ShareGPT, and one that tries a font's patience."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .workshop import Workshop, stable_id

Message = dict[str, Any]


def _call(shop: Workshop, command: str) -> list[Message]:
    """A tool call in OpenAI's shape, run for real, and its answer."""
    call_id = f"call_{stable_id('chat', command)[:10]}"
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    result = shop.run(command)
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        },
        {
            "role": "tool",
            "tool_call_id": call_id,
            "name": "bash",
            "content": result.output or f"(exit code {result.exit_code})",
        },
    ]


def _record(name: str, model: str, reward: float | None, messages: list[Message], **more: Any) -> dict[str, Any]:
    record: dict[str, Any] = {"id": stable_id("chat", name), "model": model, "messages": messages, **more}
    return record if reward is None else {**record, "reward": reward}


def openai_records(root: Path) -> list[dict[str, Any]]:
    """Chats with tools, rewards and several models."""
    shop = Workshop(
        root / "chat", "attic", {"inventory.txt": "lamp 1\nskis 2\nbox of cables 7\nbox of boxes 3\ncables, loose 41\n"}
    )
    say = lambda role, content, **keys: {"role": role, "content": content, **keys}  # noqa: E731
    return [
        _record(
            "cables",
            "meridian-3-small",
            1.0,
            [
                say("system", "You can run bash in the folder of the attic's inventory."),
                say("user", "How many things with cables are in the attic, boxes counted as one each?"),
                *_call(shop, "cat inventory.txt"),
                *_call(shop, "awk '/cable/ {n += $NF} END {print n}' inventory.txt"),
                say(
                    "assistant", "48: seven boxes and 41 loose ones. I have an opinion about this, but you didn't ask."
                ),
                say("user", "Go on."),
                say("assistant", "No charger in the last ten years has needed a cable from a box in an attic."),
            ],
            usage={"prompt_tokens": 412, "completion_tokens": 96},
        ),
        _record(
            "haiku",
            "quill-2",
            0.6,
            [
                say("developer", "Answer in haiku. Count the syllables."),
                say("user", "Explain what a mutex is."),
                say(
                    "assistant",
                    "One key for the bath.\nWhoever holds it may sing.\nThe rest wait, and knock.",
                    reasoning_content="5-7-5. 'Whoever holds it may sing': who-ev-er holds it may sing, seven. Good. The knocking is spinning, strictly.",
                ),
                say("user", "And a deadlock?"),
                say(
                    "assistant",
                    "You have the shampoo.\nI have the only towel.\nNeither of us moves.",
                    reasoning_content="'I have the only towel': six. Too late, it has left the bath.",
                ),
            ],
        ),
        _record(
            "prime",
            "osprey-1-fast",
            0.0,
            [
                say("user", "Is 3599 a prime number?"),
                say(
                    "assistant", "Yes! 3599 is a prime number. It is not divisible by 2, 3, 5, 7, 11, 13, 17, 19 or 23."
                ),
                say("user", "Check with a tool, please."),
                *_call(shop, "python -c 'n = 3599; print([d for d in range(2, n) if n % d == 0])'"),
                say("assistant", "No: 3599 = 59 · 61, which is 60² − 1. I had stopped looking at 23, confidently."),
            ],
        ),
        _record(
            "picture",
            "meridian-3-large",
            None,
            [
                say(
                    "user",
                    [
                        {"type": "text", "text": "What is wrong with this bicycle?"},
                        {
                            "type": "image_url",
                            "image_url": {"url": "https://pictures.example/bicycle.jpg", "detail": "low"},
                        },
                    ],
                ),
                say(
                    "assistant",
                    [
                        {
                            "type": "text",
                            "text": "The chain runs from the pedals to the *front* wheel. It would steer and push at once, for about one metre.",
                        }
                    ],
                ),
                say("user", "My daughter drew it."),
                say(
                    "assistant",
                    [{"type": "text", "text": "Then nothing is wrong with it, and I'd like to see it built."}],
                ),
            ],
        ),
        _record(
            "refusal",
            "quill-2",
            0.8,
            [
                say("user", "Write a five-star review for my café. Pretend that you were there on Sunday."),
                say(
                    "assistant",
                    [{"type": "refusal", "refusal": "I wasn't there on Sunday, so I won't say that I was."}],
                ),
                say("user", "You'd have liked it."),
                say(
                    "assistant",
                    "I believe you. Shall I write the card for the tables that asks the people who *were* there? Two lines, no stars.",
                ),
            ],
        ),
        _record(
            "old functions",
            "osprey-0",
            0.5,
            [
                say("user", "Weather in Bergen?"),
                {
                    "role": "assistant",
                    "content": None,
                    "function_call": {"name": "weather", "arguments": '{"city": "Bergen"}'},
                },
                {"role": "function", "name": "weather", "content": '{"sky": "rain", "since": "2025-09-12"}'},
                say("assistant", "Rain, since September."),
            ],
        ),
        _record(
            "bad arguments",
            "osprey-1-fast",
            0.2,
            [
                say("user", "Turn the heating to 19."),
                {
                    "role": "assistant",
                    "content": "Right away.",
                    "tool_calls": [
                        {
                            "id": "call_h1",
                            "type": "function",
                            "function": {"name": "set_heating", "arguments": '{"celsius": 19'},
                        },
                        {
                            "id": "call_h2",
                            "type": "function",
                            "function": {"name": "set_light", "arguments": '{"on": true}'},
                        },
                    ],
                },
                {"role": "tool", "tool_call_id": "call_h1", "content": "error: arguments are not valid JSON"},
                {"role": "tool", "tool_call_id": "call_h2", "content": "ok"},
                say(
                    "assistant",
                    "The heating did not understand me, but I have switched on the light, which is a kind of warmth.",
                ),
            ],
        ),
    ]


def anthropic_record(root: Path) -> dict[str, Any]:
    """Content blocks, thinking, tool use with an error, and a picture."""
    shop = Workshop(
        root / "anthropic", "letters", {"draft.md": "Dear Mr Oyelaran,\n\nteh invoice is attatched.\n\nYours,\nAda\n"}
    )
    missing, typos = "aspell list < draft.md", "grep -nowE 'teh|attatched' draft.md"
    first = shop.run(f"PATH=/nowhere; {missing}")
    second = shop.run(typos)

    def use(number: int, command: str) -> Message:
        return {
            "type": "tool_use",
            "id": f"toolu_{stable_id('letters', number)[:12]}",
            "name": "bash",
            "input": {"command": command},
        }

    def result(number: int, text: str, failed: bool) -> Message:
        block = {"type": "tool_result", "tool_use_id": f"toolu_{stable_id('letters', number)[:12]}", "is_error": failed}
        return {**block, "content": [{"type": "text", "text": text}]}

    return {
        "id": f"msg_{stable_id('letters')[:16]}",
        "model": "quill-2",
        "max_tokens": 2048,
        "system": "You proofread letters. You change as little as possible.",
        "messages": [
            {"role": "user", "content": "Please proofread draft.md. It's to a customer who teaches spelling."},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "thinking",
                        "thinking": "A spell checker first, if there is one; then my own eyes.",
                        "signature": "c2lnbmF0dXJl",
                    },
                    {"type": "text", "text": "Oh dear. Let me see."},
                    use(1, missing),
                ],
            },
            {"role": "user", "content": [result(1, first.output, True)]},
            {
                "role": "assistant",
                "content": [
                    {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"},
                    {"type": "text", "text": "No spell checker here. By eye, then, and `grep` for where:"},
                    use(2, typos),
                ],
            },
            {
                "role": "user",
                "content": [
                    result(2, second.output, False),
                    {"type": "text", "text": "Both are from me. Is there a third?"},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "text",
                        "text": "No third. “teh” is **the** and “attatched” is **attached**.\n\nOne more thing, not of spelling: nothing is attached to the draft.",
                    }
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                    {"type": "text", "text": "The invoice. (It's one pixel. I charge very little.)"},
                ],
            },
            {"role": "assistant", "content": "Attached, with **the** and **attached**. One pixel, net 30 days."},
        ],
        "usage": {"input_tokens": 812, "output_tokens": 203},
        "stop_reason": "end_turn",
    }


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


def sharegpt() -> list[dict[str, Any]]:
    """Conversations of `from` and `value`."""
    return [
        {
            "id": stable_id("sharegpt", 1),
            "conversations": [
                {"from": "system", "value": "You are a rubber duck. You may ask one question at a time."},
                {"from": "human", "value": "My loop never ends."},
                {"from": "gpt", "value": "What should make it end?"},
                {
                    "from": "human",
                    "value": "The counter reaching ten. I count up in… oh. I count up in the *other* function.",
                },
                {"from": "gpt", "value": "Quack."},
            ],
        },
        {
            "id": stable_id("sharegpt", 2),
            "conversations": [
                {"from": "human", "value": "Convert 3 sticks of American butter to grams."},
                {
                    "from": "gpt",
                    "value": "A stick is 113 g, so 339 g.\n\n| sticks | grams |\n|---|---:|\n| 1 | 113 |\n| 2 | 227 |\n| 3 | 340 |",
                },
                {"from": "human", "value": "339 or 340?"},
                {
                    "from": "gpt",
                    "value": "113.4 × 3 = 340.2. The table is right and my sentence is not. Your cake will not notice.",
                },
            ],
        },
    ]


def bare_messages() -> list[Message]:
    """A list of messages and nothing around it."""
    return [
        {"role": "system", "content": "You play twenty questions. You have thought of something."},
        {"role": "user", "content": "Is it bigger than a bread bin?"},
        {"role": "assistant", "content": "It depends on how many you have open."},
        {"role": "user", "content": "Browser tabs."},
        {"role": "assistant", "content": "In one. I am almost disappointed."},
    ]


def unicode_records() -> list[dict[str, Any]]:
    """Scripts, widths and joiners that terminals disagree about."""
    pairs = [
        (
            "wide",
            "翻訳してください：「猿も木から落ちる」",
            "“Even monkeys fall from trees.” 使い方：専門家が失敗したときに言います。全角ＡＢＣ and ｶﾅ too.",
        ),
        (
            "joined",
            "Which of these is one person? 👩‍🔬 👨‍👩‍👧‍👦 🧑🏽‍🚀 🏳️‍🌈 👍🏿",
            "👩‍🔬 and 🧑🏽‍🚀. 👨‍👩‍👧‍👦 is four, in seven code points. 🏳️‍🌈 is a flag, and 1️⃣ is a digit in a box.",
        ),
        (
            "right to left",
            "كيف أقول: night bus؟",
            "«حافلة ليلية»، وبالعبرية: אוטובוס לילה. The N7 stays N7 in both: الحافلة N7 تصل 00:20.",
        ),
        (
            "combining",
            "Is é the same as é?",
            "To a reader yes, to `==` no: U+00E9 against e + U+0301. Vietnamese: Tiếng Việt. And too far: Z̷̛͎a̶̧͝l̴̨͛g̵̢̀o̶̢͊.",
        ),
        (
            "indic",
            "नमस्ते! क्षत्रिय में कितने अक्षर हैं?",
            "तीन: क्ष, त्रि, य. தமிழ் நன்று, ไทยก็ดี, and 한국어는 조합형 ㅎㅏㄴ으로도.",
        ),
        (
            "invisible",
            "Why are these different? 'ab' 'a\u200bb' 'a\u00adb' 'a\u2060b'",
            "The last three hold a zero-width space, a soft hyphen and a word joiner. A good viewer lets you find that out.",
        ),
    ]
    return [
        {
            "id": stable_id("unicode", name),
            "title": name,
            "messages": [{"role": "user", "content": q}, {"role": "assistant", "content": a}],
        }
        for name, q, a in pairs
    ]
