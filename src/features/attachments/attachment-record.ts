import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { loadActors } from '#features/accounts/index.ts'
import { encodeReserved } from '#lib/percent-encoding.ts'
import { isPicture } from './attachment-file.ts'
import type { Attachment } from './schema.ts'
import type { AttachmentRow } from './store.ts'

/**
 * The link in a text. It begins at the root, so that it stays valid when the site gets another
 * address.
 */
function markdownOf({ name, content_type }: AttachmentRow, path: string): string {
  const label = name.replace(/[\\[\]`*_<>&!]/g, (one) => `\\${one}`)
  return `${isPicture(content_type) ? '!' : ''}[${label}](${path})`
}

/** The address in a text. */
export const addressOf = (
  full_name: string,
  { id, name }: Pick<AttachmentRow, 'id' | 'name'>,
): string => `/${full_name}/attachments/${id}/${encodeReserved(name)}`

export function attachmentRecords(
  hearth: Hearth,
  repo: Pick<RepoGrant, 'full_name'>,
  rows: readonly AttachmentRow[],
): Attachment[] {
  const actor = loadActors(
    hearth,
    rows.map(({ uploader_id }) => uploader_id),
  )
  return rows.map((row) => {
    const path = addressOf(repo.full_name, row)
    return {
      id: row.id,
      name: row.name,
      content_type: row.content_type,
      size_in_bytes: row.size_in_bytes,
      sha256: row.sha256,
      url: `${hearth.settings.site_url}${path}`,
      markdown: markdownOf(row, path),
      created_by: actor(row.uploader_id),
      created_at: row.created_at,
    }
  })
}

export function attachmentRecord(
  hearth: Hearth,
  repo: Pick<RepoGrant, 'full_name'>,
  row: AttachmentRow,
): Attachment {
  const [record] = attachmentRecords(hearth, repo, [row])
  if (!record) throw new TypeError('one row gives one record')
  return record
}
