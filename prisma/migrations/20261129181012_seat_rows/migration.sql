-- AlterTable
ALTER TABLE "seats" ADD COLUMN     "companion_of" INTEGER,
ADD COLUMN     "rank" INTEGER,
ADD COLUMN     "row_no" INTEGER,
ADD COLUMN     "row_place" INTEGER,
ADD COLUMN     "wheelchair" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "seats_event_id_row_no_row_place_level_no_idx" ON "seats"("event_id", "row_no", "row_place", "level_no");

-- CreateIndex
CREATE INDEX "seats_event_id_section_no_row_no_row_place_idx" ON "seats"("event_id", "section_no", "row_no", "row_place");

-- Events that were there before: rows as their layouts name them, without aisles. A block may
-- reach across an aisle.
WITH layout AS (
    SELECT s."event_id", s."no" AS "section_no", s."first_seat" + (x."seat" ->> 'index')::int AS "no",
        x."seat" ->> 'row' AS "row", (x."seat" ->> 'wheelchair')::boolean AS "wheelchair"
    FROM "sections" s CROSS JOIN jsonb_array_elements(s."layout") x ("seat")
), numbered AS (
    SELECT *, min("no") OVER (PARTITION BY "event_id", "section_no", "row") AS "first"
    FROM layout
)
UPDATE "seats" s
SET "row_no" = n."first", "row_place" = n."no" - n."first" + 1, "rank" = n."no", "wheelchair" = n."wheelchair"
FROM numbered n
WHERE s."event_id" = n."event_id" AND s."no" = n."no";

ALTER TABLE "seats" ADD CONSTRAINT "seats_row_check" CHECK (
    num_nulls("row_no", "row_place", "rank") IN (0, 3)
);
ALTER TABLE "seats" ADD CONSTRAINT "seats_companion_check" CHECK (
    "companion_of" IS NULL OR NOT "wheelchair"
);

-- What every function that makes a hold answers, see prisma/functions/hold_seats.sql.
CREATE TYPE "hold_answer" AS (
    "outcome" text,
    "hold_id" text,
    "state" text,
    "amount" bigint,
    "currency" text,
    "expires_at" timestamptz,
    "order_id" text,
    "seat_nos" int[],
    "level_nos" smallint[],
    "prices" bigint[],
    "fees" bigint[],
    "revisions" int[],
    "taken" int[],
    "stranded" int[],
    "wheelchair_seats" int[],
    "available" int,
    "from_row" int,
    "ticket_limit" int,
    "used" int,
    "retry_at" timestamptz,
    "as_of" timestamptz
);
