"""What a job runs in: images, the Dockerfiles that they are made from, and how containers are started."""
