# A server with the model en; kernels are compiled here, those of the explorer too, so that no request need wait.
FROM python:3.12-slim
WORKDIR /headway
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY headway headway
RUN pip install --no-cache-dir '.[server]' && rm -rf /headway && useradd --create-home headway
USER headway
WORKDIR /home/headway
ENV HEADWAY_CACHE=/home/headway/kernels
RUN headway warmup --all --quiet
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8000/ready')"]
CMD ["headway", "serve", "--host", "0.0.0.0", "--workers", "2"]
