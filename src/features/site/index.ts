/** Keeping the site: how it does, what it is set to, quotas, background work. A leaf. */
import { conditions } from '#core/gauges.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { growth } from '#features/workspaces/index.ts'
import { checkOutbound } from './check-outbound.ts'
import { getSiteSettings } from './get-site-settings.ts'
import { getSiteStatus } from './get-site-status.ts'
import { getUsage } from './get-usage.ts'
import { listAllWorkspaces } from './list-all-workspaces.ts'
import { listJobsQueue } from './list-jobs-queue.ts'
import { retryJob } from './retry-job.ts'
import { sendTestMail } from './send-test-mail.ts'
import { setQuota } from './set-quota.ts'
import { mailCondition, tlsCondition } from './status.ts'
import { updateSiteSettings } from './update-site-settings.ts'
import { sweepOutbox } from './sweep-outbox.ts'
import { requireWithinQuota } from './usage.ts'

export * from './schema.ts'
export { applySettings } from './changeable.ts'
export {
  checkOutbound,
  getSiteSettings,
  getSiteStatus,
  getUsage,
  listAllWorkspaces,
  listJobsQueue,
  retryJob,
  sendTestMail,
  setQuota,
  updateSiteSettings,
}

export const feature: Feature = {
  name: 'site',
  operations: [
    getSiteStatus,
    getSiteSettings,
    updateSiteSettings,
    listAllWorkspaces,
    setQuota,
    getUsage,
    listJobsQueue,
    retryJob,
    sendTestMail,
    checkOutbound,
  ],
  jobs: [sweepOutbox as Job],
  extensions: [
    growth.with(requireWithinQuota),
    conditions.with(mailCondition),
    conditions.with(tlsCondition),
  ],
}
