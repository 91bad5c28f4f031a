# Trawl in a container: `docker build --target trawl -t trawl .`, or `--target chromium` for crawls with --render.
FROM node:24-slim AS build
WORKDIR /source
COPY . .
RUN npm ci && npm pack --pack-destination /tmp

FROM node:24-slim AS trawl
COPY --from=build /tmp/trawl-*.tgz /tmp/trawl.tgz
# The image has Node 24 already, so the one that the package brings for older machines is left out.
RUN npm install --global --omit=optional /tmp/trawl.tgz && npm cache clean --force && rm /tmp/trawl.tgz
# Crawls, settings and the server's token live here: mount a volume to keep them.
RUN mkdir /data && chown node:node /data
ENV TRAWL_HOME=/data
VOLUME /data
WORKDIR /data
USER node
EXPOSE 8080
ENTRYPOINT ["trawl"]
CMD ["serve", "--host", "0.0.0.0"]

FROM trawl AS chromium
USER root
RUN apt-get update \
  && apt-get install --yes --no-install-recommends chromium fonts-liberation fonts-noto-color-emoji \
  && rm -rf /var/lib/apt/lists/*
USER node
