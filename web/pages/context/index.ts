/** Pages of what surrounds a repository. */
import type { SiteSection } from '../../site.ts'
import { ticketPage } from './ticket.tsx'

export const context: SiteSection = { pages: [ticketPage] }
