/** Records the queries of one call, for a bare route that runs the same (`bare.ts`). */
import { openHearth } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { call } from '#core/operation.ts'
import type { SqlValue } from '#core/db.ts'
import { getIssue } from '#features/issues/index.ts'
import { silentLog } from '#lib/log.ts'
import type { RecordedQuery } from './bare.ts'

/** The queries of `get_issue` with the token of a request, as the first after a commit makes them. */
export async function recordGetIssue(
  data: string,
  request: { readonly token: string; readonly repo: string; readonly number: number },
): Promise<RecordedQuery[]> {
  const hearth = openHearth({
    settings: loadConfig({ data }, {}).settings({ host: '127.0.0.1', port: 0 }),
    log: silentLog,
  })
  const { database } = hearth
  const recorded: RecordedQuery[] = []
  const { one, all } = database
  const record = (sql: string, params: SqlValue[]): void => {
    if (sql.startsWith('SELECT') || sql.startsWith('WITH'))
      recorded.push({ sql, params: params as RecordedQuery['params'] })
  }
  try {
    database.version = null
    database.one = (sql, ...params) => {
      record(sql, params)
      return one.call(database, sql, ...params) as never
    }
    database.all = (sql, ...params) => {
      record(sql, params)
      return all.call(database, sql, ...params) as never
    }
    const caller = hearth.callers.byToken(request.token)
    if (caller === null) throw new Error('the token is not valid')
    const { repo, number } = request
    await call(hearth, getIssue, caller, { repo, number }, { untrusted: () => {} })
    return recorded
  } finally {
    await hearth.close()
  }
}
