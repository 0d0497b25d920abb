"""Make the files of sample_data/ anew: `python sample_data/make_samples.py [FOLDER]`.

The dialogue is written by hand; every command in it is run for real (python, pytest, git, grep, sed and the rest) in a
temporary folder, and what it printed is recorded. Paths, durations and ids are made the same each time. Needs bash, git
and the packages of the project's `dev` extra.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from _make import adp, agents, chat, episodes, episodes_published, scores, screenshots, sotopia, tables, taskweaver
from _make.docent_coding import coding_run
from _make.docent_runs import shorter_runs
from _make.malformed import write_malformed
from _make.workshop import write_json, write_jsonl


def main(target: Path) -> None:
    """Write every sample below `target`."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        write_json(target / "docent" / "coding_run.json", coding_run(root / "coding"))
        write_jsonl(target / "docent" / "runs.jsonl", shorter_runs(root))

        for episode in (episodes.DEPOSIT, episodes.PIANO, episodes.PARROT):
            write_json(target / "sotopia" / f"{episode.codename}.json", sotopia.episode_log(episode))
        published = [sotopia.published(e) for e in (episodes_published.WINDOW, episodes_published.ALLOTMENT)]
        write_jsonl(target / "sotopia" / "published.jsonl", published)
        records = target / "annotations" / "AnnotationForEpisode"
        records.mkdir(parents=True, exist_ok=True)
        for annotation in scores.annotations():
            (records / f"{annotation.pk}.json").write_text(annotation.to_json(), encoding="ascii")

        write_json(target / "adp" / "web_trajectory.json", adp.web_trajectory())
        trajectories = [adp.coffee(root), adp.bisect(root), adp.access_log(root)]
        write_jsonl(target / "adp" / "code_trajectory.jsonl", trajectories)
        write_json(target / "adp" / "screens.json", adp.screens())
        write_json(target / "adp" / "legacy.json", adp.legacy())

        taskweaver.write_yaml(target / "taskweaver" / "raw_exp_bees.yaml", taskweaver.session(root))
        taskweaver.write_yaml(target / "taskweaver" / "example-planner-sheep.yaml", taskweaver.planner_example())
        write_json(target / "taskweaver" / "umbrella.json", taskweaver.temporal_session())

        write_jsonl(target / "chat" / "openai.jsonl", chat.openai_records(root))
        write_json(target / "chat" / "anthropic.json", chat.anthropic_record(root))
        write_json(target / "chat" / "sharegpt.json", chat.sharegpt())
        write_json(target / "chat" / "messages.json", chat.bare_messages())
        write_json(target / "chat" / "screenshots.json", screenshots.screenshots())
        write_jsonl(target / "chat" / "unicode.jsonl", chat.unicode_records())

        agents.write_agents(target / "agents")
        tables.write_tables(target / "tables")

        write_malformed(target / "malformed")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
