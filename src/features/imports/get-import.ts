import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type } from '#core/schema.ts'
import { requireManagedImport } from './find-import.ts'
import { importRecord } from './import-record.ts'
import { Import } from './schema.ts'

export const getImport = operation({
  name: 'get_import',
  summary:
    'Get an import with how far it has come. For who started it and for owners of its workspace.',
  keywords: ['import progress', 'is the import done', 'how far is the import', 'migration status'],
  route: 'GET /imports/{id}',
  toolset: 'mirrors',
  access: signedIn({ scope: 'repo:admin' }),
  input: Type.Object({ id: Id('imp') }),
  output: Import,
  annotations: { openWorld: true },

  handler: ({ hearth, caller }, { id }) =>
    importRecord(hearth, requireManagedImport(hearth, caller, id)),
})
