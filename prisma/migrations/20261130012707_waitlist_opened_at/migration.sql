-- AlterTable
ALTER TABLE "sales" ADD COLUMN     "waitlist_opened_at" TIMESTAMPTZ(6);
