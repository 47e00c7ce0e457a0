/** True in npm run test:long: random runs and storms have their full length. */
export const LONG = process.env.LONG === '1'
