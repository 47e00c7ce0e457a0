/** Style sheets that a chunk brings along. */
declare module '*.css'
