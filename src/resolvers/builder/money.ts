import type { Money as MoneyShape } from '../../money.ts'
import { builder } from './builder.ts'

export const Money = builder.objectRef<MoneyShape>('Money').implement({
  description:
    "A price in the currency's minor unit (ISO 4217): 4550 EUR is 45.50 euros, 4550 JPY is 4550 yen.",
  fields: (t) => ({
    amount: t.expose('amount', { type: 'SafeInt' }),
    currency: t.exposeString('currency'),
  }),
})
