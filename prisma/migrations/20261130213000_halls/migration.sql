-- AlterTable
ALTER TABLE "events" ADD COLUMN     "areas" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "focus" JSONB;

-- AlterTable
ALTER TABLE "price_levels" ADD COLUMN     "priced" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "seats" ADD COLUMN     "across" INTEGER;

-- Few halls have tables, and the seats of the others take no room in it.
CREATE INDEX "seats_event_id_across_idx" ON "seats"("event_id") WHERE "across" IS NOT NULL;
