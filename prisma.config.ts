import { defineConfig } from 'prisma/config'

/** For Prisma's own CLI; the app applies migrations itself (src/sql/database/migrate.ts). */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost/fairgate' },
})
