/**
 * Values that the log of a task hides besides secrets: the token of the job, and what its steps name
 * with `::add-mask::`. Sealed with the task, so that a later process hides them too.
 */
import type { Hearth } from '#core/hearth.ts'
import { seal, unseal } from '#features/accounts/index.ts'

/** Values beyond are hidden by the process that read them only. */
const MAX_STORED_CHARS = 512 * 1024

const purposeOf = (job_id: string): string => `runner task masks ${job_id}`

export function sealMasks(hearth: Hearth, job_id: string, values: readonly string[]): string {
  let chars = 0
  const kept = values.filter(({ length }) => {
    if (chars + length > MAX_STORED_CHARS) return false
    chars += length
    return true
  })
  return seal(hearth, purposeOf(job_id), JSON.stringify(kept))
}

/** Throws when another installation sealed them: the log could not be written without them. */
export function openMasks(
  hearth: Hearth,
  { job_id, masks }: { readonly job_id: string; readonly masks: string | null },
): string[] {
  if (masks === null) return []
  const opened = unseal(hearth, purposeOf(job_id), masks)
  if (opened === null)
    throw new Error('what the log hides cannot be read with this installation key')
  return JSON.parse(opened) as string[]
}
