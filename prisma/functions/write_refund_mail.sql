-- Writes the mail that a refund has begun, in the commit in which the order comes to owe it. The trigger mails_of_refund calls it.
-- The provider may take days to return the money; write_mails then writes the mail that says so.
create function write_refund_mail(p_refund refunds) returns void language plpgsql as $$
begin
  insert into mails (event_id, order_id, kind, occasion, amount)
    select o.event_id, o.id, 'REFUND_OWED', p_refund.id, p_refund.amount
    from orders o
    where o.event_id = p_refund.event_id and o.id = p_refund.order_id and o.email is not null
    on conflict do nothing;
end
$$;
