-- True where an order's tickets admit their holders: it is confirmed, and its money is captured or it cost nothing.
create function has_valid_tickets(p_order orders) returns boolean language sql immutable as $$
  select p_order.state = 'CONFIRMED' and (p_order.amount = 0 or p_order.payment not in ('NONE', 'AUTHORIZED'))
$$;
