-- AlterTable
ALTER TABLE "events" ADD COLUMN     "appearance" JSONB;
