/**
 * Sealed values of secrets. The key of each is derived from the installation key and the id of its
 * row, so a sealed value that is copied to another row cannot be opened.
 */
import type { Hearth } from '#core/hearth.ts'
import { seal, unseal } from '#features/accounts/index.ts'

const purposeOf = (id: string): string => `secret ${id}`

export const sealValue = (hearth: Hearth, id: string, value: string): string =>
  seal(hearth, purposeOf(id), value)

/** Throws when another installation sealed it, as after a restore without the key. */
export function openValue(
  hearth: Hearth,
  { id, name, value }: { id: string; name: string; value: string },
): string {
  const opened = unseal(hearth, purposeOf(id), value)
  if (opened === null)
    throw new Error(`the secret ${name} cannot be read with this installation key; set it again`)
  return opened
}
