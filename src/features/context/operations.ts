export { lookupTicket } from './lookup-ticket.ts'
export { searchContext } from './search-context.ts'
export { getEntity } from './get-entity.ts'
