# Means over the runs of each policy and class in a file that sim --csv wrote.
import csv
import sys

kinds = {}
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    for row in csv.DictReader(file):
        kinds.setdefault((row['policy'], row['class']), []).append(row)
for (policy, kind), rows in kinds.items():
    mean = lambda key: sum(float(row[key]) for row in rows) / len(rows)
    least = min(float(row['p50Slowdown']) for row in rows)
    print(policy, kind, len(rows), mean('meanNanos'), mean('p99Nanos'), mean('meanSlowdown'), least)
