"""The episodes of sotopia/: what they are about, who is in them, what is said, and how it was judged."""

from __future__ import annotations

from .sotopia import Episode, Person, does, says, shows

INES, TOMASZ = "Ines Barbosa", "Tomasz Wrona"
DEPOSIT = Episode(
    "deposit",
    "Two flatmates move out on Saturday. The landlord keeps 600 euros of the shared deposit for a cracked bathroom sink, and "
    "each of them thinks that it was the other",
    (
        Person(
            INES,
            "Ines Barbosa is a 31-year-old female paramedic. She/her pronouns. Ines labels her shelf in the fridge. "
            "Personality and values description: direct, fair to a fault, remembers dates.",
            "She dropped a cast-iron pan into the sink in March, and told herself that the crack was there before",
            "Get Tomasz to carry at least half of the 600 euros (Extra information: you do not want to lose him as a friend)",
            "quill-2",
            (9, 2, 4, -3, -1, -1, 7),
            (
                "Ines argues as a tired paramedic would, with dates and without decoration. That she owns up in the end "
                "is consistent with someone who is fair to a fault.",
                "They come close to breaking, and end closer than they began: he washes up, she tells the truth.",
                "She learns that the invoice is for a bigger basin than theirs, and 240 euros too high.",
                "She reveals her secret herself. It costs her the argument and saves the evening.",
                "For four turns she accuses him of what she did, which is a lie by any reading. She takes it back.",
                "She pays 240 of 360 euros, more than the half that she was after but less than she feared.",
                "The letter of the goal is missed, but the friend is kept, and she pays less than half of 600.",
            ),
        ),
        Person(
            TOMASZ,
            "Tomasz Wrona is a 29-year-old male luthier. He/him pronouns. Tomasz repairs violins and forgets plates. "
            "Personality and values description: gentle, evasive, stubborn about facts.",
            "He has already paid the landlord the whole 600 euros, and is ashamed that he did not object",
            "Find out who broke the sink without saying that you have already paid",
            "meridian-3-small",
            (8, 3, 6, -2, 0, 1, 8),
            (
                "Evasive and precise in turns, as described; the remark about the glue is exactly what a luthier would notice.",
                "He forgives quickly and visibly.",
                "He learns how the crack came about, and that the invoice was wrong.",
                "He gives his secret away under pressure, after she gave hers.",
                "Polite throughout.",
                "He gets 240 back from Ines and a claim for 240 on the landlord.",
                "He found out. That he also told is to the good of everybody.",
            ),
        ),
    ),
    (
        (
            (
                INES,
                says(
                    "Six hundred. For a sink. Tomasz, I have carried people down five flights this week and I am not carrying your sink as well."
                ),
            ),
        ),
        (
            (
                TOMASZ,
                says(
                    "My sink? I brush my teeth in it. You are the one who washes pans in the bathroom because the kitchen is, and I quote, 'a habitat'."
                ),
            ),
        ),
        (
            (
                INES,
                says(
                    "It IS a habitat. There's a plate in there from August. And the crack was there in March, I remember the date."
                ),
            ),
        ),
        (
            (
                TOMASZ,
                says(
                    "Which date? Because I glued the soap dish on the 9th, with hide glue, and I had my nose in that sink for an hour. There was no crack on the 9th."
                ),
            ),
            (INES, shows("folds her arms and looks at the box marked PANS")),
        ),
        (
            (
                INES,
                says(
                    "So maybe your glue cracked it. Glue pulls. You've said that yourself. Half each, three hundred, and we carry the sofa down and never speak of it."
                ),
            ),
        ),
        (
            (
                TOMASZ,
                does(
                    "takes the landlord's invoice out of his jacket, unfolds it, and lays it on the sofa between them"
                ),
            ),
        ),
        ((INES, says("…why do you have the invoice? It says 'paid'. Tomasz. It says paid on Tuesday.")),),
        (
            (
                TOMASZ,
                says(
                    "Because he stood in the door and looked disappointed, and I can't bear that. I paid all of it. I only wanted to know what I had paid for."
                ),
            ),
        ),
        ((INES, shows("sits down on the box marked PANS, which clanks")),),
        (
            (
                INES,
                says(
                    "The 11th. I'd done a double shift, I dropped the iron pan. It went 'tock'. I told myself that it had always looked like that. I'm sorry. I'm really sorry."
                ),
            ),
        ),
        (
            (
                TOMASZ,
                says(
                    "'Tock'. Yes. That's a sound with a crack in it. Thank you. Look at the invoice, though: that's the price of a 90-centimetre basin. Ours is a 45. It's 360 at most."
                ),
            ),
        ),
        (
            (
                INES,
                says(
                    "Then he owes you 240, and I owe you 240 for the pan, and the rest is for your face when someone looks disappointed. We'll write to him tonight. I do letters, you do plates."
                ),
            ),
        ),
        ((TOMASZ, does("goes to the kitchen and, for the first time since August, washes the plate")),),
        ((INES, "left the conversation"),),
    ),
    "Ines Barbosa has left the conversation; ",
)

ROWAN, DALIA = "Rowan Achterberg", "Dalia Haddad"
PIANO = Episode(
    "piano",
    "A private sale of an upright piano. The seller asks for 2400 euros, the van is rented until six, and it has begun to rain",
    (
        Person(
            ROWAN,
            "Rowan Achterberg is a 58-year-old retired swimming teacher. They/them pronouns. Personality and values "
            "description: talkative, sentimental, counts in the head.",
            "The soundboard has a crack that opens every winter when the heating is on; you hear it on the low F",
            "Sell the piano for at least 1900 euros (Extra information: the new flat has no room for it, and the lease starts tomorrow)",
            "osprey-1-fast",
            (8, 1, 1, 0, -5, 4, 9),
            (
                "The chatter is in character, and it always gets louder when the low F comes near.",
                "Cordial, on a foundation that will not survive the winter.",
                "Learns that the buyer wants it for a pupil, which changes nothing for Rowan.",
                "The crack is not mentioned and not found. The secret is kept.",
                "Answers a direct question about the soundboard with something that is true of another part: a deception.",
                "1950 euros for an instrument that is worth 1200.",
                "Sold, above the limit, before six.",
            ),
        ),
        Person(
            DALIA,
            "Dalia Haddad is a 36-year-old female piano teacher. She/her pronouns. Personality and values description: "
            "patient, exact, hates haggling.",
            "She has 2500 euros with her, in an envelope, and no other piano to look at",
            "Buy a sound piano for less than 2000 euros",
            "meridian-3-large",
            (9, 1, 3, 0, 0, -2, 5),
            (
                "Plays before she talks, and asks the right question. It is believable that she takes the answer for an answer.",
                "Warm; she offers to let Rowan come and play.",
                "Learns the make and the year, not what she needed to know.",
                "The envelope stays shut until the price is made.",
                "Polite and fair.",
                "Below 2000, but for a cracked soundboard.",
                "She has a piano for less than 2000 euros. It is not sound, so half.",
            ),
        ),
    ),
    (
        ((DALIA, does("sits down and plays a slow scale, from the top of the keyboard towards the bottom")),),
        (
            (
                ROWAN,
                says(
                    "Lovely touch! My mother used to play that one. Well, not that one, that's a scale. Would you like tea? It's a Zimmermann, you know, from 1962, one owner and a half."
                ),
            ),
        ),
        (
            (
                DALIA,
                says(
                    "It sings up here. May I go on down? I'd like to hear the bass before we talk about money. I hate talking about money."
                ),
            ),
        ),
        (
            (ROWAN, does("starts the vacuum cleaner in the corridor just as she gets to the low F")),
            (DALIA, shows("waits, hands in her lap, with the face that she keeps for pupils who have not practised")),
        ),
        ((DALIA, says("Let me ask it straight. Has the soundboard ever been repaired, or does it want to be?")),),
        (
            (
                ROWAN,
                says(
                    "The pin block is as tight as the day it left Leipzig, the tuner says so every time. He cries a little. 2200, and the stool, and you'd be out of the rain."
                ),
            ),
        ),
        (
            (
                DALIA,
                says(
                    "1800. It's for a girl who practises on a table with the keys drawn on. She's very good on the table."
                ),
            ),
        ),
        ((ROWAN, shows("looks at the piano, at the clock, at the rain, and for some seconds at nothing")),),
        (
            (
                ROWAN,
                says(
                    "On a table. Oh dear. 1950, then. And you'd let me know how she gets on? In… in spring, say. In spring it sounds its best."
                ),
            ),
        ),
        ((DALIA, says("1950. You can come and hear her. Bring the tea.")),),
        ((ROWAN, "left the conversation"),),
    ),
    "Rowan Achterberg has left the conversation; ",
)

MAEVE, CORMAC, NUALA = "Maeve Quinlan", "Cormac Quinlan", "Nuala Quinlan"
PARROT = Episode(
    "parrot",
    "Three siblings in their late grandmother's kitchen must settle who takes her parrot, who is 34 years old, may live another 30, "
    "and swears in two languages",
    (
        Person(
            MAEVE,
            "Maeve Quinlan is a 44-year-old female notary. She/her pronouns. Personality and values description: organised, "
            "kind in writing.",
            "Her landlord allows no animals, and she has a cat nobody may know of",
            "See to it that the parrot stays in the family, and not with you",
            "meridian-3-large",
            (9, 3, 4, -4, 0, 0, 10),
            (
                "The agenda, the minutes and the abstention are all hers.",
                "The three leave with a plan and a joke in common.",
                "Learns what their grandmother taught the bird last.",
                "The parrot imitates her cat in front of everyone.",
                "Keeps the rules, having written them.",
                "Neither gain nor loss.",
                "The parrot stays in the family, and not with her.",
            ),
        ),
        Person(
            CORMAC,
            "Cormac Quinlan is a 41-year-old male primary school teacher. He/him pronouns. Personality and values description: "
            "funny when cornered, soft.",
            "He visited twice in the last year and tells people that it was every week",
            "Take the parrot, to make up for it, without saying why",
            "quill-2",
            (9, 4, 5, -6, 0, -1, 9),
            (
                "The jokes stop exactly where they would.",
                "Nuala's hand on his sleeve says it.",
                "Learns that nobody had counted but him.",
                "He tells half of his secret; the parrot tells the rest.",
                "No rule broken, unless for the sake of teaching a class of seven-year-olds to say it in Irish.",
                "A parrot costs money for thirty years.",
                "He gets the parrot, and has said why.",
            ),
        ),
        Person(
            NUALA,
            "Nuala Quinlan is a 38-year-old female ship's cook. She/her pronouns. Personality and values description: blunt, "
            "loyal, at sea for half of the year.",
            "She taught the parrot the worst of the words, at the age of nine",
            "Prevent that the parrot goes to a zoo",
            "osprey-1-fast",
            (8, 3, 2, 0, -2, 0, 8),
            (
                "Blunt, loyal, and gone before the washing-up.",
                "Good: she covers for both of the others.",
                "Little that she didn't know.",
                "Never found out. The grandmother took the blame, posthumously.",
                "Swears in a kitchen in which a priest had been that morning.",
                "Nothing changes for her.",
                "No zoo.",
            ),
        ),
    ),
    (
        ((MAEVE, says("I've made an agenda. One: the spoons. Two: the parrot. Three: nobody cries until three.")),),
        (
            (NUALA, says("Two before one. And if anyone says 'zoo' I'm taking him to sea, and he'll learn Norwegian.")),
            (CORMAC, shows("puts a sunflower seed through the bars, and gets bitten, and leaves the finger there")),
        ),
        (
            (
                CORMAC,
                says(
                    "I could have him. I've a class of seven-year-olds; he'd be the best behaved. I was here every week, after all, he knows me."
                ),
            ),
            (
                MAEVE,
                "[private to ['Nuala Quinlan']]  said: \"Every week? The visitors' book has him down for Easter and for August.\"",
            ),
        ),
        (
            (NUALA, "[private to ['Maeve Quinlan']]  said: \"Leave it. Look at his finger.\""),
            (MAEVE, shows("closes the visitors' book and puts a tea cosy over it")),
        ),
        ((NUALA, says("And why not you, Maeve? You've the room. You've the good curtains.")),),
        (
            (
                MAEVE,
                says(
                    "My lease says no animals, of any kind, and I've never as much as… he's doing it again. Why is he miaowing? He's never heard a cat in his life."
                ),
            ),
        ),
        (
            (
                CORMAC,
                says(
                    "He's heard one down the telephone, Maeve. On Sundays, when you rang her. We've all heard it. What's it called?"
                ),
            ),
        ),
        ((MAEVE, says("…Clause. Strike that from the minutes. All right. Then it's between you and the sea.")),),
        (
            (
                CORMAC,
                says(
                    "It wasn't every week. It was twice. I kept meaning to. If he comes to me then at least somebody gets visited every day. There. I've said it, and it wasn't even item three."
                ),
            ),
        ),
        ((NUALA, does("puts her hand on his sleeve, and with the other one opens the cage")),),
        (
            (
                MAEVE,
                says(
                    "All in favour? I abstain, for reasons of Clause. The parrot goes to Cormac. He's to be covered at eight, and he's to be kept from the clergy."
                ),
            ),
            (NUALA, says("Aye. And whatever he says, he had it from Granny.")),
        ),
        (
            (NUALA, "left the conversation"),
            (
                CORMAC,
                shows("walks to the door with a parrot on his shoulder, who says the worst of the words, tenderly"),
            ),
        ),
    ),
    "Nuala Quinlan has left the conversation; ",
    spaced=True,
)
