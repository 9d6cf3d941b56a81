/** The gateway of a workspace as clients see it. */
import type { Hearth } from '#core/hearth.ts'
import { toUsd } from './money.ts'
import type { ModelGateway } from './schema.ts'
import { findGateway, outsideSpent } from './store-gateway.ts'

export function gatewayRecord(hearth: Hearth, workspace_id: string): ModelGateway {
  const row = findGateway(hearth.db, workspace_id)
  return {
    enabled: row?.outside === 1,
    max_usd_per_day: row?.max_usd_per_day ?? null,
    spent_usd_today: row === null ? 0 : toUsd(outsideSpent(row, hearth.clock.now())),
    url: `${hearth.settings.site_url}/model/v1`,
  }
}
