/** Loopback addresses that stand for hosts of the internet. */
export const HOSTS = {
  page: "127.0.0.2",
  files: "127.0.0.3",
  images: "127.0.0.4",
  moreImages: "127.0.0.5",
  slow: "127.0.0.6",
} as const;

export type HostName = keyof typeof HOSTS;
export const HOST_NAMES = Object.keys(HOSTS) as HostName[];

export const ROUND_TRIPS_MS = [0, 30, 150] as const;
export type RoundTripMs = (typeof ROUND_TRIPS_MS)[number];
