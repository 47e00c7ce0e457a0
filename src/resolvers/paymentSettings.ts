import { builder } from './builder/builder.ts'

export const PaymentSettings = builder
  .objectRef<{ name: string; publishableKey: string | null }>('PaymentSettings')
  .implement({
    description: 'What a client needs to collect a card.',
    fields: (t) => ({
      provider: t.exposeString('name'),
      publishableKey: t.exposeString('publishableKey', { nullable: true }),
    }),
  })
