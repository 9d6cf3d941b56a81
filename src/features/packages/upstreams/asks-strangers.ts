import type { Db } from '#core/db.ts'
import type { PackageType } from '../schema.ts'
import { hasPrivatePackages } from '../store.ts'
import { findUpstream } from './store.ts'

/** Whether strangers are asked for a token, whatever they name, where they would hear 404. */
export const asksStrangers = (db: Db, workspace_id: string, type: PackageType): boolean =>
  hasPrivatePackages(db, workspace_id, type) || findUpstream(db, workspace_id, type) !== null
