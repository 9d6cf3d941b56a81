/**
 * Tells that an administrator changed settings of the running forge. Features read settings when
 * they need them; those that let work wait because of a setting look again. Declared in core,
 * because features of every kind have such work, and the feature that changes settings is a leaf.
 */
import { internalEvent } from './events.ts'
import { Type } from './schema.ts'

/** The new values are in effect when the transaction has been committed. */
export const settingsChanged = internalEvent('core.settings_changed', Type.Object({}))
