#!/usr/bin/env bash
# Builds the image of the service from this checkout. A person and the release workflow run the same script.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: build-image.sh [--push] [--platform LIST] [--dry-run] [NAME:TAG...]

Builds snap-server:latest, or the names given, into the local images.
  --push            push the names instead, with a bill of materials and a provenance attestation
  --platform LIST   such as linux/amd64,linux/arm64; needs --push, because local images have one platform
  --dry-run         print the command, and run nothing
TEXT
}

fail() {
  echo "build-image.sh: $1" >&2
  exit 2
}

push=false dry_run=false platform='' names=()
while [ $# -gt 0 ]; do
  case $1 in
    --push) push=true ;;
    --dry-run) dry_run=true ;;
    --platform)
      [ $# -gt 1 ] || fail "--platform needs a list, such as linux/amd64,linux/arm64"
      platform=$2
      shift
      ;;
    --help)
      usage
      exit
      ;;
    -*) fail "unknown option $1; see --help" ;;
    *) names+=("$1") ;;
  esac
  shift
done
[ ${#names[@]} -gt 0 ] || names=(snap-server:latest)
if [ -n "$platform" ] && [ $push = false ]; then fail "--platform needs --push"; fi

deploy=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$deploy/../../.." && pwd)
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$deploy/../package.json")
# A checkout without Git, such as an unpacked archive, has no commit.
commit=$(git -C "$root" rev-parse HEAD 2>/dev/null || true)
if [ $push = true ] && [ $dry_run = false ] && [ -n "$(git -C "$root" status --porcelain 2>/dev/null)" ]; then
  fail "uncommitted changes would be in the image; commit or stash them before --push"
fi

# --pull: the base image and the browser are as new as the build.
command=(docker buildx build --pull --file "$deploy/Dockerfile"
  --build-arg "SOURCE_COMMIT=$commit"
  --label "org.opencontainers.image.version=$version"
  --label "org.opencontainers.image.revision=$commit")
for name in "${names[@]}"; do command+=(--tag "$name"); done
if [ -n "$platform" ]; then command+=(--platform "$platform"); fi
# Only a registry stores attestations next to an image.
if [ $push = true ]; then
  command+=(--push --sbom=true --provenance=mode=max)
else
  command+=(--load)
fi
command+=("$root")

if [ $dry_run = true ]; then
  printf '%q ' "${command[@]}"
  echo
else
  exec "${command[@]}"
fi
