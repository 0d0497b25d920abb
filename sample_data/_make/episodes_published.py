"""The episodes of sotopia/published.jsonl: two small quarrels."""

from __future__ import annotations

from .sotopia import Episode, Person, does, says, shows

JUN, PETRA = "Jun Takeda", "Petra Lindqvist"
BLANK = (
    "Behaves as a person would.",
    "Unchanged.",
    "Nothing new.",
    "Kept.",
    "Kept.",
    "None.",
)
WINDOW = Episode(
    "window_seat",
    "A night train, a booked window seat, and somebody already asleep in it",
    (
        Person(
            JUN,
            "Jun Takeda is a 26-year-old male geologist. He/him pronouns. Personality and values description: shy, prepared.",
            "His ticket is for tomorrow",
            "Get your window seat",
            "meridian-3-small",
            (9, 2, 3, -1, 0, 0, 3),
            (
                *BLANK[:1],
                "A stranger became an acquaintance.",
                "His ticket is for tomorrow: he found out in company.",
                *BLANK[3:],
                "No window, but a seat on the train, which is more than he had paid for.",
            ),
        ),
        Person(
            PETRA,
            "Petra Lindqvist is a 63-year-old female conductor, of orchestras. She/her pronouns. Personality and values "
            "description: commanding, generous after midnight.",
            "She is not asleep",
            "Keep the window seat",
            "osprey-1-fast",
            (7, 2, 1, -2, -2, 0, 10),
            (
                "The snoring is in four-four time, which is too good to be true, and in character.",
                "Generous once she had won.",
                *BLANK[2:3],
                "He noticed at once and said nothing.",
                "Pretends to sleep in someone's seat.",
                *BLANK[5:],
                "Seat kept.",
            ),
        ),
    ),
    (
        ((JUN, says("Excuse me. I'm so sorry. I believe that this is 61, window. I have 61, window.")),),
        ((PETRA, shows("snores, in four-four time")),),
        (
            (
                JUN,
                says(
                    "It's only that I'd like to see the fault line at dawn. It's near kilometre 412. It's a very good fault."
                ),
            ),
        ),
        (
            (
                PETRA,
                says(
                    "Young man, at dawn I'll wake you and you can look past me. Now show me that ticket. …This is for the 7th. Today is the 6th."
                ),
            ),
        ),
        ((JUN, shows("reads the ticket for a long time")),),
        (
            (
                PETRA,
                says(
                    "Sit down, before the guard comes. You are my page-turner. You've always been my page-turner. And whose fault was it? — Kilometre 412's. There."
                ),
            ),
        ),
        ((JUN, says("Thank you. That's a terrible joke. I'll use it in my thesis.")),),
    ),
    "The conversation stales for too long; ",
    tag="sample_data_v1_published",
)

OWEN, SAFIYA = "Owen Pryce", "Safiya Bello"
ALLOTMENT = Episode(
    "allotment",
    "Two neighbours at an allotment, one water tank in a dry July, and a prize for the biggest pumpkin on Sunday",
    (
        Person(
            OWEN,
            "Owen Pryce is a 70-year-old male retired bus driver. He/him pronouns. Personality and values description: proud, orderly.",
            "He waters at night, when it isn't his turn",
            "Win the pumpkin prize",
            "osprey-1-fast",
            (8, -4, 2, -8, -7, 1, 2),
            (
                *BLANK[:1],
                "He loses a neighbour of eleven years' standing.",
                "Learns that she counts the can marks on the tank.",
                "Found out, with the watering can in his hand.",
                "Takes water out of turn, then blames the heron.",
                "A marrow, in compensation.",
                "With what the committee now knows, hardly.",
            ),
        ),
        Person(
            SAFIYA,
            "Safiya Bello is a 47-year-old female statistician. She/her pronouns. Personality and values description: dry, "
            "patient, keeps records.",
            "She has been feeding her pumpkin with stout",
            "Get Owen to stop taking your water",
            "meridian-3-large",
            (10, -4, 5, 0, 0, 0, 9),
            (
                "A statistician who has drawn a chart on the tank: entirely believable.",
                "Gets her water and loses her neighbour.",
                "Learns where 140 litres went.",
                *BLANK[3:4],
                "Correct and cold.",
                *BLANK[5:],
                "He'll stop. She has the chart.",
            ),
        ),
    ),
    (
        ((SAFIYA, says("Good evening, Owen. It's ten past eleven. That's my water.")),),
        ((OWEN, says("It was the heron. I'm just… putting it back.")),),
        ((SAFIYA, shows("shines a torch on the tank, on which is drawn a neat chart, in pencil, of nineteen nights")),),
        ((OWEN, says("You've put error bars on it.")),),
        (
            (
                SAFIYA,
                says(
                    "Small ones. The heron drinks seven litres at a time and always on nights when you have your boots on. It stops, or the chart goes to the committee."
                ),
            ),
        ),
        (
            (OWEN, does("empties the can over her pumpkin, slowly, down to the last drop, and sniffs")),
            (SAFIYA, shows("steps between him and the pumpkin")),
        ),
        ((OWEN, says("Is that… stout?")),),
        ((SAFIYA, says("Good night, Owen.")), (OWEN, "left the conversation")),
    ),
    "Owen Pryce has left the conversation; ",
    tag="sample_data_v1_published",
)
