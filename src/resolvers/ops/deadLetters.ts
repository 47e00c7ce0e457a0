import type { DeadLetterView } from '../../sale/ops/deadLetters.ts'
import { builder } from '../builder/builder.ts'
import { connection, perEntry } from '../builder/connection.ts'
import { Node } from '../builder/node.ts'

const DeadLetter = builder.objectRef<DeadLetterView>('DeadLetter').implement({
  interfaces: [Node],
  description: 'A job that failed for good.',
  fields: (t) => ({
    queue: t.exposeString('queue'),
    job: t.exposeString('job'),
    data: t.expose('data', { type: 'JSON', description: 'Without secrets and personal data.' }),
    error: t.exposeString('error'),
    attempts: t.exposeInt('attempts'),
    failedAt: t.expose('failedAt', { type: 'DateTime' }),
    replays: t.exposeInt('replays'),
  }),
})

const DeadLetterConnection = connection('DeadLetter', DeadLetter)

builder.queryField('deadLetters', (t) =>
  t.withAuth({ ops: true }).field({
    type: DeadLetterConnection,
    description: 'Role ops.',
    args: {
      queue: t.arg.string(),
      failedAfter: t.arg({ type: 'DateTime' }),
      failedBefore: t.arg({ type: 'DateTime' }),
      first: t.arg.int({ defaultValue: 50 }),
      after: t.arg.string(),
    },
    complexity: perEntry,
    resolve: (_root, { first, ...filters }, { app }) =>
      app.deadLetters.list({ ...filters, first: first ?? 50 }),
  }),
)

const DeadLetterWindowInput = builder.inputType('DeadLetterWindowInput', {
  description: 'The dead letters that failed in a period, replayed at a rate.',
  fields: (t) => ({
    queue: t.string(),
    failedAfter: t.field({ type: 'DateTime', required: true }),
    failedBefore: t.field({ type: 'DateTime', required: true }),
    perSecond: t.float({ defaultValue: 10 }),
  }),
})

const DeadLettersInput = builder.inputType('DeadLettersInput', {
  description: 'By id, or all that failed in a window, at a pace.',
  isOneOf: true,
  fields: (t) => ({
    ids: t.idList(),
    window: t.field({ type: DeadLetterWindowInput }),
  }),
})

const DiscardDeadLettersInput = builder.inputType('DiscardDeadLettersInput', {
  description: 'The dead letters to discard. The audit trail keeps the reason.',
  fields: (t) => ({
    ids: t.idList({ required: true }),
    reason: t.string({ required: true }),
  }),
})

interface DeadLetterRefusalShape {
  readonly deadLetterId: string
  readonly reason: string
}

const DeadLetterRefusal = builder.objectRef<DeadLetterRefusalShape>('DeadLetterRefusal').implement({
  description: 'Why a dead letter stays as it is.',
  fields: (t) => ({ deadLetterId: t.exposeID('deadLetterId'), reason: t.exposeString('reason') }),
})

const ReplayDeadLettersPayload = builder
  .objectRef<{ replayed: string[]; refused: DeadLetterRefusalShape[] }>('ReplayDeadLettersPayload')
  .implement({
    description: 'What became of each dead letter.',
    fields: (t) => ({
      replayed: t.exposeIDList('replayed'),
      refused: t.expose('refused', { type: [DeadLetterRefusal] }),
    }),
  })

const DiscardDeadLettersPayload = builder
  .objectRef<{ discarded: string[]; refused: DeadLetterRefusalShape[] }>('DiscardDeadLettersPayload')
  .implement({
    description: 'What became of each dead letter.',
    fields: (t) => ({
      discarded: t.exposeIDList('discarded'),
      refused: t.expose('refused', { type: [DeadLetterRefusal] }),
    }),
  })

builder.mutationFields((t) => ({
  replayDeadLetters: t.withAuth({ ops: true }).field({
    type: ReplayDeadLettersPayload,
    description: 'Role ops. Safe to repeat: a replay has no second effect.',
    args: { input: t.arg({ type: DeadLettersInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.deadLetters.replay(account, input),
  }),
  discardDeadLetters: t.withAuth({ ops: true }).field({
    type: DiscardDeadLettersPayload,
    description: 'Role ops. Kept in the audit trail, with the reason.',
    args: { input: t.arg({ type: DiscardDeadLettersInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.deadLetters.discard(account, input),
  }),
}))
