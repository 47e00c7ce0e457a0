-- True where ops discarded the dead letter of this job about this subject: the work is theirs from then on, so no job does it and
-- nothing emits the job again. Only for jobs whose work for a subject is done once.
create function is_left_to_ops(p_job text, p_subject text) returns boolean
language sql stable
as $$
  select exists (
    select from dead_letters d
      where d.queue = p_job and d.subject = p_subject and d.discarded_at is not null
        and d.succeeded_at is null and d.replaced_at is null)
$$;
