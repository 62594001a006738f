export { handleFetch, refuseFetch } from "./fetch.ts";
