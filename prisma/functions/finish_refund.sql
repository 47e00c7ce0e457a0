-- Marks a refund as done, after the provider has reported it so, and adds it to its order.
--
-- finished   false where it was done before; then nothing changed
--
-- Lock order: order, then refund.
create function finish_refund(p_event text, p_refund text, p_provider_id text) returns boolean language plpgsql as $$
declare
  v_order text;
  v_amount bigint;
begin
  select r.order_id into v_order from refunds r where r.event_id = p_event and r.id = p_refund;
  perform from orders o where o.event_id = p_event and o.id = v_order for no key update;
  update refunds r
    set state = 'DONE', provider_id = p_provider_id, refusal = null, changed_at = now()
    where r.event_id = p_event and r.id = p_refund and r.state <> 'DONE'
    returning r.amount into v_amount;
  if not found then
    return false;
  end if;
  update orders o
    set refunded = o.refunded + v_amount, changed_at = now(),
      payment = case
        when exists (
          select from refunds r where r.event_id = p_event and r.order_id = v_order and r.state <> 'DONE') then 'REFUND_OWED'
        when o.refunded + v_amount < o.amount then 'PARTIALLY_REFUNDED'
        else 'REFUNDED'
      end
    where o.event_id = p_event and o.id = v_order;
  return true;
end
$$;
