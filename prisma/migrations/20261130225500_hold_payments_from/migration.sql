-- AlterTable
ALTER TABLE "holds" ADD COLUMN     "payments_from" TIMESTAMPTZ(6);
