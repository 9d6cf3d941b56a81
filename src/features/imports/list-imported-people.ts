import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { personRecord } from './import-record.ts'
import { ImportedPeople } from './schema.ts'
import { listPeopleRows } from './store-steps.ts'

export const listImportedPeople = operation({
  name: 'list_imported_people',
  summary:
    'List the people of another forge who wrote what was imported into a repository, and whose accounts they are here. For Admin.',
  keywords: ['map imported users', 'who is this imported author'],
  route: 'GET /repos/{owner}/{name}/imported-people',
  toolset: 'mirrors',
  access: readsRepoAs('admin', { scope: 'repo:admin' }),
  input: Type.Object({ repo: RepoPath, ...byPage() }),
  output: ImportedPeople,
  list: 'page',

  handler: ({ hearth, db, repo }, paging) => {
    const window = windowOf(paging)
    const rows = listPeopleRows(db, repo.id, window.limit + 1, window.offset)
    return pageOf(
      rows.map((row) => personRecord(hearth, row)),
      window,
    )
  },
})
