/** Events of mirrors. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Id, Nullable, OneOf, Type } from '#core/schema.ts'
import { MIRROR_STATES, ROLES, type MirrorState } from './schema.ts'

/** Whole sentences, because other languages order them otherwise. */
const SENTENCES: Readonly<Record<MirrorState, (name: string) => string>> = {
  setting_up: (name) => `The mirror ${name} is being set up`,
  standing_by: (name) => `The mirror ${name} leads, and this service follows it`,
  ci_failover: (name) => `The mirror ${name} cannot be reached, and workflows run here`,
  takeover: (name) => `The mirror ${name} no longer leads: this service took over`,
  handing_back: (name) => `The mirror ${name} gets the lead back`,
  following: (name) => `The mirror ${name} follows this service`,
  diverged: (name) => `The mirror ${name} has commits that this service does not have`,
  paused: (name) => `The mirror ${name} is paused`,
  failed: (name) => `The mirror ${name} could not be set up`,
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
    state === null ? `${by} removed the mirror link to ${name}` : SENTENCES[state](name),
)

export const events = [mirrorStateChanged]
