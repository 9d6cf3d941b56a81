/** Refuses every change of a data directory from which another machine has taken over. */
import type { CommitObserver } from '#core/replication.ts'
import { Refusal } from '#lib/errors.ts'

export const fenceText = (peer: string | null): string =>
  `another machine${peer === null ? '' : ` (${peer})`} has taken over from this one, which changes nothing any more: use that one`

/** The refusal of a change because of the standby. */
export const refuseChange = (reason: string): Refusal =>
  new Refusal('unavailable', reason, { reason: 'standby', headers: { 'retry-after': '5' } })

/** For commands beside a fenced forge. */
export class Fence implements CommitObserver {
  constructor(private readonly peer: string | null) {}

  requireWritable(): void {
    throw refuseChange(fenceText(this.peer))
  }

  opened(): void {}

  committed(): void {}

  async acknowledged(): Promise<void> {}
}
