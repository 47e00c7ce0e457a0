ALTER TABLE "mails" DROP CONSTRAINT "mails_kind_check";
ALTER TABLE "mails" ADD CONSTRAINT "mails_kind_check"
    CHECK ("kind" IN ('CONFIRMED', 'CANCELLED', 'SEATS_GONE', 'REFUND_OWED', 'REFUNDED'));

-- Its function only calls write_refund_mail(), as mails_of_order() does.
CREATE FUNCTION mails_of_refund() RETURNS trigger LANGUAGE plpgsql
    -- \x3b is a semicolon: the schema engine would end the statement at one.
    AS E'begin perform write_refund_mail(new)\x3b return null\x3b end';

CREATE TRIGGER mails_of_refund AFTER INSERT ON "refunds"
    FOR EACH ROW
    WHEN (NEW."amount" > 0)
    EXECUTE FUNCTION mails_of_refund();
