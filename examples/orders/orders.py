"""Orders in SQLite, for an agent: find, refund and export. The schemas are in schemas/, the rest in application.toml.

    python3 orders.py prepare     makes the database that ORDERS_DB names, with some orders in it
"""

import os
import sqlite3
import sys

from opgate_app import Problem, operation, run

COLUMNS = ("id", "customer", "cents", "card", "placed", "refunded")


def database():
    connection = sqlite3.connect(f"file:{os.environ['ORDERS_DB']}?mode=rw", uri=True, timeout=10, isolation_level=None)
    connection.row_factory = sqlite3.Row
    return connection


def shown(row):
    order = {column: row[column] for column in COLUMNS}
    return {**order, "card": {"number": row["card"]}, "refunded": bool(row["refunded"])}


@operation()
def find(input):
    if "id" in input:
        rows = database().execute("SELECT * FROM orders WHERE id = ?", [input["id"]])
    else:
        rows = database().execute(
            "SELECT * FROM orders WHERE customer = ? ORDER BY placed DESC, id LIMIT 20", [input["customer"]]
        )
    return {"orders": [shown(row) for row in rows]}


@operation()
def refund(input):
    connection = database()
    # One transaction: two refunds of one order cannot both find it unrefunded.
    connection.execute("BEGIN IMMEDIATE")
    row = connection.execute("SELECT * FROM orders WHERE id = ?", [input["id"]]).fetchone()
    if row is None:
        raise Problem("not-found", "There is no such order.", False)
    if row["refunded"]:
        raise Problem("already-refunded", "This order was refunded before.", False)
    connection.execute("UPDATE orders SET refunded = 1, reason = ? WHERE id = ?", [input["reason"], input["id"]])
    connection.execute("COMMIT")
    return {"id": row["id"], "cents": row["cents"]}


@operation()
def export(input):
    rows = database().execute(
        "SELECT * FROM orders WHERE id > ? ORDER BY id LIMIT ?", [input.get("after", ""), input.get("limit", 1000)]
    )
    orders = [shown(row) for row in rows]
    return {"orders": orders, "next": orders[-1]["id"] if orders else None}


def prepare(count=2000):
    connection = sqlite3.connect(os.environ["ORDERS_DB"])
    connection.execute(
        "CREATE TABLE orders (id TEXT PRIMARY KEY, customer TEXT NOT NULL, cents INTEGER NOT NULL, card TEXT NOT NULL,"
        " placed TEXT NOT NULL, refunded INTEGER NOT NULL DEFAULT 0, reason TEXT)"
    )
    orders = (
        (f"o-{n:05}", f"customer-{n % 50}", 500 + n * 37 % 9000, f"{4111111111110000 + n}", f"2026-{1 + n % 12:02}-{1 + n % 28:02}")
        for n in range(1, count + 1)
    )
    connection.executemany("INSERT INTO orders (id, customer, cents, card, placed) VALUES (?, ?, ?, ?, ?)", orders)
    connection.commit()
    print(f"{count} orders in {os.environ['ORDERS_DB']}")


if __name__ == "__main__":
    prepare() if sys.argv[1:] == ["prepare"] else run()
