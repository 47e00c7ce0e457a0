-- Offers run side by side: an offer that is being paid for stops no other one.
DROP INDEX "waitlist_entries_offered";
CREATE INDEX "waitlist_entries_offered" ON "waitlist_entries" ("event_id") WHERE "state" = 'OFFERED';

-- AlterTable
ALTER TABLE "waitlist_entries" ADD COLUMN     "else_levels" SMALLINT[] DEFAULT ARRAY[]::SMALLINT[],
ADD COLUMN     "else_sections" SMALLINT[] DEFAULT ARRAY[]::SMALLINT[],
ADD COLUMN     "together" BOOLEAN,
ADD COLUMN     "wheelchair_seats" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "waitlist_entries" ADD CONSTRAINT "waitlist_entries_wishes_check" CHECK (
    cardinality("else_sections") = cardinality("else_levels")
    AND "wheelchair_seats" BETWEEN 0 AND "quantity"
);

-- Seats are compared with the demand instead.
-- AlterTable
ALTER TABLE "sales" DROP COLUMN "waitlist_opened_at";

-- CreateTable
CREATE TABLE "waitlist_demand" (
    "event_id" TEXT NOT NULL,
    "section_no" SMALLINT NOT NULL,
    "level_no" SMALLINT NOT NULL,
    "together" BOOLEAN NOT NULL,
    "wheelchair_seats" INTEGER NOT NULL,
    "need" INTEGER NOT NULL,

    CONSTRAINT "waitlist_demand_pkey" PRIMARY KEY ("event_id","section_no","level_no","together","wheelchair_seats","need")
);
INSERT INTO "waitlist_demand" ("event_id", "section_no", "level_no", "together", "wheelchair_seats", "need")
    SELECT DISTINCT "event_id", coalesce("section_no", -1), coalesce("level_no", -1), false, 0,
        CASE WHEN "accept_fewer" THEN 1 ELSE "quantity" END
    FROM "waitlist_entries"
    WHERE "state" = 'WAITING';

-- The few seats of a hall that the waitlist of wheelchair users looks for. Their columns never change, so that updates of seats
-- stay HOT.
CREATE INDEX "seats_wheelchair" ON "seats" ("event_id", "section_no") WHERE "wheelchair";
CREATE INDEX "seats_companions" ON "seats" ("event_id", "companion_of") WHERE "companion_of" IS NOT NULL;
