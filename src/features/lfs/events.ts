/** Events of locks. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Id, Type } from '#core/schema.ts'

const data = Type.Object({ lock: Id('lck'), path: Type.String() })

export const fileLocked = event('file.locked', data, ({ path }, by) => `${by} locked ${path}`)
export const fileUnlocked = event('file.unlocked', data, ({ path }, by) => `${by} unlocked ${path}`)

export const events = [fileLocked, fileUnlocked]
