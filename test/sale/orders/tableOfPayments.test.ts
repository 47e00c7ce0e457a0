import { testDatabase } from '../../support/database.ts'
import { mollieNetwork } from '../../support/networks/mollie.ts'
import { sandboxNetwork } from '../../support/networks/sandbox.ts'
import { stripeNetwork } from '../../support/networks/stripe.ts'
import { failureRows } from './failureRows.ts'
import { paymentRows } from './paymentRows.ts'

/*
 * The table of payments: every row ends in a settled order and the right money, at the provider and in our records. One file
 * runs all rows, as loading the providers' SDKs costs more than their rows.
 */

const database = await testDatabase()
const networks = [sandboxNetwork(database), await stripeNetwork(), await mollieNetwork()]
paymentRows(database, networks)
failureRows(database, networks)
