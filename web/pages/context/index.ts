/** Pages of what surrounds a repository. */
import type { SiteSection } from '../../site.ts'
import { entityPage } from './entity.tsx'
import { contextPage } from './search.tsx'
import { ticketPage } from './ticket.tsx'

export const context: SiteSection = { pages: [ticketPage, contextPage, entityPage] }
