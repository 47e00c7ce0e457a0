-- Writes the mails that a change of an order calls for. The trigger mails_of_order calls it in the commit of the change, for orders
-- that have an address. Each mail is written once, however often the order changes.
--
-- CONFIRMED    the tickets are valid: the money is captured, or the order cost nothing
-- SEATS_GONE   the order lost its seats while it was being paid for: another fan has one, or the payment was not approved in time
-- CANCELLED    a confirmed order was undone before its money was captured, or cost nothing
-- REFUNDED     the provider has reported a refund; one mail for each new sum
create function write_mails(p_old orders, p_new orders) returns void language plpgsql as $$
begin
  if has_valid_tickets(p_new) and not has_valid_tickets(p_old) then
    insert into mails (event_id, order_id, kind)
      values (p_new.event_id, p_new.id, 'CONFIRMED')
      on conflict do nothing;
  end if;
  if p_new.state = 'SEATS_GONE' and p_old.state = 'PAYING' then
    insert into mails (event_id, order_id, kind)
      values (p_new.event_id, p_new.id, 'SEATS_GONE')
      on conflict do nothing;
  end if;
  if p_new.state = 'CANCELLED' and p_old.state = 'CONFIRMED' and p_old.payment in ('AUTHORIZED', 'NONE') then
    insert into mails (event_id, order_id, kind)
      values (p_new.event_id, p_new.id, 'CANCELLED')
      on conflict do nothing;
  end if;
  if p_new.refunded > p_old.refunded then
    insert into mails (event_id, order_id, kind, occasion, amount)
      values (p_new.event_id, p_new.id, 'REFUNDED', p_new.refunded::text, p_new.refunded - p_old.refunded)
      on conflict do nothing;
  end if;
end
$$;
