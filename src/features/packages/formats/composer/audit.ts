/** `composer audit` (https://packagist.org/apidoc#list-security-advisories). */
import type { Hearth } from '#core/hearth.ts'
import { comparatorText, intervalsOf } from '#lib/advisories/intervals.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { advisoriesOf, workspaceIdOf } from '../audits.ts'

const MAX_BYTES = 4 * 1024 ** 2

/** Names come as `packages[]=vendor/name`, in the body of a form or in the address. */
export async function auditComposer(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const fields =
    door.method === 'POST'
      ? new URLSearchParams(new TextDecoder().decode(await door.bytes(MAX_BYTES)))
      : door.query
  const names = [...fields]
    .filter(([key]) => /^packages\[\w*\]$/.test(key))
    .map(([, name]) => name.toLowerCase())
  const workspace_id = workspaceIdOf(hearth, door)
  const found = await advisoriesOf(hearth, workspace_id, 'composer', [...new Set(names)])
  const advisories = [...found].map(([name, list]) => [
    name,
    list.map((one) => ({
      advisoryId: one.id,
      packageName: name,
      remoteId: one.id,
      title: one.summary,
      link: one.url ?? `https://osv.dev/vulnerability/${one.id}`,
      cve: one.aliases.find((alias) => alias.startsWith('CVE-')) ?? null,
      affectedVersions: comparatorText(intervalsOf('composer', one.affected), {
        and: ',',
        or: '|',
      }),
      reportedAt: one.modified,
      severity: one.severity,
      sources: [{ name: 'OSV', remoteId: one.id }],
    })),
  ])
  return jsonResponse({ advisories: Object.fromEntries(advisories) as object })
}
