/** Events of mirrors. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Id, Nullable, OneOf, Type } from '#core/schema.ts'
import { MIRROR_STATES, ROLES, type MirrorState } from './schema.ts'

/** States in words that follow the name of the remote. */
const IN_WORDS: Readonly<Record<MirrorState, string>> = {
  setting_up: 'is being set up',
  standing_by: 'leads, and this service follows it',
  ci_failover: 'cannot be reached, and workflows run here',
  takeover: 'no longer leads: this service took over',
  handing_back: 'gets the lead back',
  following: 'follows this service',
  diverged: 'has commits that this service does not have',
  paused: 'is paused',
  failed: 'could not be set up',
}

export const mirrorStateChanged = event(
  'mirror.state_changed',
  Type.Object({
    mirror: Id('rmt'),
    name: Type.String(),
    role: OneOf(ROLES),
    previous: Nullable(OneOf(MIRROR_STATES)),
    state: Nullable(OneOf(MIRROR_STATES, { description: 'Null when the link was removed.' })),
  }),
  ({ name, state }, by) =>
    state === null
      ? `${by} removed the mirror link to ${name}`
      : `The mirror ${name} ${IN_WORDS[state]}`,
)

export const events = [mirrorStateChanged]
