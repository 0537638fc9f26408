set -ex
# Another size of swap
sudo swapoff /swap.img
sudo rm /swap.img
sudo fallocate -l 8G /swap.img
