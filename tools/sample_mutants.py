"""Keep N random mutants of a Cosmic Ray session and delete the others: python tools/sample_mutants.py SESSION N SEED"""

import random
import sqlite3
import sys
from contextlib import closing

PENDING = """SELECT job_id FROM mutation_specs WHERE job_id NOT IN (SELECT job_id FROM work_results)
    ORDER BY module_path, operator_name, occurrence"""


def sample(session: str, n: int, seed: int) -> None:
    with closing(sqlite3.connect(session)) as database, database:
        pending = [job for (job,) in database.execute(PENDING)]
        kept = random.Random(seed).sample(pending, min(n, len(pending)))
        for table in ("mutation_specs", "work_results", "work_items"):
            database.execute(f"DELETE FROM {table} WHERE job_id NOT IN ({','.join('?' * len(kept))})", kept)
        print(f"{len(kept)} of {len(pending)} mutants")


if __name__ == "__main__":
    sample(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
