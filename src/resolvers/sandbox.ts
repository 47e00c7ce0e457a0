import type { SandboxView } from '../sale/ops/sandboxDesk.ts'
import { builder } from './builder/builder.ts'

const SandboxCard = builder
  .objectRef<{ readonly paymentMethod: string; readonly result: string }>('SandboxCard')
  .implement({
    description: 'A payment method of the sandbox that misbehaves on purpose.',
    fields: (t) => ({
      paymentMethod: t.exposeString('paymentMethod'),
      result: t.exposeString('result', { description: 'What happens to a payment with it.' }),
    }),
  })

const Sandbox = builder.objectRef<SandboxView>('Sandbox').implement({
  description: 'The card network of the embedded default: it costs nothing, and misbehaves on purpose.',
  fields: (t) => ({
    cards: t.field({
      type: [SandboxCard],
      description: 'Any other payment method is authorized.',
      resolve: ({ cards }) => [...cards],
    }),
    isOut: t.exposeBoolean('isOut', { description: 'Ops have switched it off: it answers no call.' }),
  }),
})

builder.queryField('sandbox', (t) =>
  t.field({
    type: Sandbox,
    nullable: true,
    description: 'Null where real providers take the money.',
    resolve: (_root, _args, { app }) => app.sandboxDesk.view(),
  }),
)

builder.mutationField('setSandboxOutage', (t) =>
  t.withAuth({ ops: true }).field({
    type: Sandbox,
    description: 'Role ops. Switches the card network of the embedded default off or on, for every process.',
    args: { isOut: t.arg.boolean({ required: true }) },
    resolve: (_root, { isOut }, { app, account }) => app.sandboxDesk.setOutage(account, isOut),
  }),
)
