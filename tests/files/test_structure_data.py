"""Style sheets, SQL, tables, logs, plain text."""

from __future__ import annotations

from sidecar.files.structure import Structure, structure


def outline(found: Structure) -> list[tuple[str, int, int]]:
    return [(symbol.signature, symbol.start, symbol.end) for symbol in found.symbols]


SCSS = """\
/* Theme of the site. More. */
@import "base.css"; @use 'x/y';
$brand: #fff;
// a { comment }
:root { --main-bg: red; --odd: "}"; }
.btn,
.b:hover { color: red; &:focus { x: y } }
@media (max-width: 600px) { .a { } .b { } }
.u { background: url(http://x.y/z); }
"""


def test_a_style_sheet_is_told_by_its_rules() -> None:
    found = structure("scss", SCSS)
    assert found.doc == "Theme of the site"
    assert found.imports == ("base.css", "x/y")
    assert outline(found) == [
        ("$brand", 3, 3),
        (":root", 5, 5),
        (".btn, .b:hover", 6, 7),
        ("@media (max-width: 600px)", 8, 8),
        (".u", 9, 9),
    ]
    nested = structure("css", "@media print {\n  .a { x: y }\n  .b,\n  .c {\n  }\n}\na { b: c")
    assert outline(nested) == [("@media print", 1, 6), ("a", 7, 7)]
    assert [child.signature for child in nested.symbols[0].children] == [".a", ".b, .c"]


SQL = """\
-- Schema of the shop. More.

-- Who buys.
CREATE TABLE IF NOT EXISTS "public"."users" (
  id serial PRIMARY KEY, -- the id
  name varchar(20) NOT NULL DEFAULT 'a;b(',
  CONSTRAINT x UNIQUE (name)
);
CREATE OR REPLACE FUNCTION find_user(a int, b text) RETURNS int AS $$
BEGIN; CREATE TABLE no (x int); END;
$$ LANGUAGE plpgsql;
CREATE UNIQUE INDEX idx_users ON users USING btree (name, id);
ALTER TABLE ONLY users ADD COLUMN age int;
create materialized view v as select 1;
CREATE TABLE [dbo].[Orders]([Id] [int] NOT NULL, Total decimal(10, 2))
GO
INSERT INTO users VALUES ('it''s', 'CREATE TABLE z (a int)');
"""


def test_sql_definitions_of_several_dialects() -> None:
    found = structure("sql", SQL)
    assert found.doc == "Schema of the shop"
    assert outline(found) == [
        ("CREATE TABLE IF NOT EXISTS public.users (", 4, 8),
        ("CREATE OR REPLACE FUNCTION find_user(a int, b text) RETURNS int AS", 9, 11),
        ("CREATE UNIQUE INDEX idx_users ON users USING btree (name, id)", 12, 12),
        ("ALTER TABLE ONLY users ADD COLUMN age int", 13, 13),
        ("create materialized view v as select 1", 14, 14),
        ("CREATE TABLE dbo.Orders(Id int NOT NULL, Total decimal(10, 2))", 15, 15),
    ]
    assert found.symbols[0].doc == "Who buys"
    assert [child.name for child in found.symbols[0].children] == ["id", "name"]
    unclosed = structure("sql", "CREATE TABLE a (b int);\nINSERT INTO a VALUES ('x")
    assert [symbol.name for symbol in unclosed.symbols] == ["a"]


SCRIPT = """\
-- =====================================================
-- Moves the orders of closed shops to the archive.
-- Usage: psql -f archive.sql
-- =====================================================

-- Nothing is lost.
insert into archive.orders select * from orders where closed;
INSERT INTO archive.orders VALUES (1, 'update nobody');
update shops
   set archived = now();
delete from orders where closed;
drop table if exists "closed_shops";
"""


def test_a_script_without_definitions_is_described_by_its_header() -> None:
    found = structure("sql", SCRIPT)
    assert (found.doc, found.symbols) == ("Moves the orders of closed shops to the archive", ())


def test_a_dump_shows_its_first_lines() -> None:
    found = structure("sql", "INSERT INTO a VALUES (1);\nINSERT INTO a VALUES (2);\n")
    assert (found.doc, found.symbols) == (None, ())
    assert found.head is not None


def test_a_table_is_told_by_its_columns() -> None:
    found = structure("csv", "name,age\nx,1\ny,2\n")
    assert (found.doc, [symbol.name for symbol in found.symbols]) == (
        "Table of 2 rows and 2 columns: name text, age number.",
        ["name", "age"],
    )
    assert structure("csv", "a;b\n1;2\n").symbols[1].name == "b"
    assert structure("csv", 'a,"b\nc"\n1,"x\ny"\n').doc == ("Table of about 3 rows and 2 columns: a number, b c text.")
    untitled = structure("tsv", "1\tx@y.org\n3\t4\n")
    assert untitled.doc == "Table of 2 rows and 2 columns: column 1 number, column 2 text."
    assert [symbol.name for symbol in untitled.symbols] == ["column 1", "column 2"]


def test_log_counts_and_head() -> None:
    found = structure("log", "start\nERROR a\nWARN b\nERROR c\n")
    assert found.doc == "Log with 2 error and 1 warning mentions."
    assert found.head == "start\nERROR a\nWARN b\nERROR c"


def test_plain_text_gives_a_head_and_says_what_is_left() -> None:
    text = "# Copyright someone\n\nThe first line of some prose is here. More.\n----\n" + "word\nother\n" * 500
    found = structure("text", text)
    assert found.doc is None or found.doc.startswith("The first line")
    assert found.head is not None
    rows = found.head.split("\n")
    assert rows[0] == "The first line of some prose is here. More."
    assert rows[-1].endswith("more lines")
    assert len(found.head) < 650
    shown = int(rows[-1].split()[1].replace(",", ""))
    assert text.split("\n")[1004 - shown - 1] == rows[-2]
