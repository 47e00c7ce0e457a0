/** PostgreSQL's code of an error (SQLSTATE), from Prisma or from the pool; undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  const { code, meta } = error as {
    code?: string
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } }
  }
  return meta?.driverAdapterError?.cause?.originalCode ?? code
}

export const LOCK_NOT_AVAILABLE = '55P03'
